"""Errors as responses: every one is a `models.Problem`."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from docpipe.errors import ConfigError, DocpipeError, InputError

_STATUS = {
    "unknown_document": 404,
    "unknown_schema": 404,
    "pages": 404,
    "source_missing": 404,
    "locked": 409,
    "too_large": 413,
    "empty_file": 422,
    "no_weights": 503,
    "library_full": 507,
    "cannot_write": 507,
    "read_only": 507,
    "timeout": 504,
    "memory": 507,
    "wrong_token": 403,
    "too_many_tries": 429,
    "busy": 503,
}
DEFECT = "this is a defect of docpipe"
_HTTP_CODES = {404: "not_found", 405: "wrong_method", 422: "invalid"}


class ClientGone(Exception):
    """Nobody waits for the response any more."""


def problem(status: int, code: str, message: str, hint: str = "") -> JSONResponse:
    return JSONResponse({"code": code, "message": message, "hint": hint}, status)


def status_of(code: str, *, usual: int) -> int:
    """The HTTP status for a code of docpipe's errors."""
    return _STATUS.get(code, usual)


def install(app: FastAPI) -> None:
    """Make problems of all that goes wrong."""

    @app.exception_handler(DocpipeError)
    async def of_docpipe(request: Request, error: DocpipeError) -> JSONResponse:
        usual = 422 if isinstance(error, ConfigError | InputError) else 500
        return problem(status_of(error.code, usual=usual), error.code, error.message, error.hint)

    @app.exception_handler(RequestValidationError)
    async def of_request(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return problem(422, "invalid", f"{place}: {first['msg']}", "see the API's documentation")

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        code = _HTTP_CODES.get(error.status_code, "refused")
        response = problem(error.status_code, code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(ClientGone)
    @app.exception_handler(ClientDisconnect)
    async def of_nobody(request: Request, error: Exception) -> JSONResponse:
        return problem(499, "client_gone", "the client has gone")

    @app.exception_handler(Exception)
    async def of_defect(request: Request, error: Exception) -> JSONResponse:
        return problem(500, "internal", DEFECT, "please report it")
