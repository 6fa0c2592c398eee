"""`docpipe serve`: the library as a web page and an HTTP API."""

from __future__ import annotations

import contextlib
import socket
import urllib.parse
from pathlib import Path
from typing import Annotated

import typer

from docpipe.cli import options
from docpipe.cli.options import (
    DEFAULT_LIBRARY,
    ConfigFile,
    LibraryDir,
    Ocr,
    Password,
    PasswordFile,
    Schema,
    Settings,
    Weights,
)
from docpipe.errors import ConfigError


def serve(
    folders: Annotated[list[Path] | None, typer.Argument(metavar="[FOLDER|FILE]...")] = None,
    library: LibraryDir = DEFAULT_LIBRARY,
    host: Annotated[str, typer.Option("--host", help="Other hosts need a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="DOCPIPE_TOKEN", help="A secret that the page asks for."),
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers.")] = None,
    max_upload: Annotated[
        int, typer.Option("--max-upload", min=1, max=4096, help="MiB a file may have.")
    ] = 200,
    max_documents: Annotated[
        int,
        typer.Option("--max-documents", min=1, max=10_000, help="Documents the library may have."),
    ] = 10_000,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    ocr: Ocr = None,
    schema: Schema = None,
    weights: Weights = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Show a library as a web page, with an HTTP API behind it.

    Folders and files given are read into it. The page is for this machine only; with --host and
    --token others can reach it.
    """
    from docpipe.ingest import check_targets
    from docpipe.library import Library

    try:
        from docpipe.server.app import create_app
        from docpipe.server.disk import alone
        from docpipe.server.run import Server
        from docpipe.server.settings import Settings as ServerSettings
    except ImportError as error:
        raise ConfigError(
            f"the server needs a package that is not installed: {error.name}",
            code="missing_extra",
            hint="pip install 'docpipe[serve]'",
        ) from error
    check_targets(folders or ())
    chosen = ServerSettings(
        library=library,
        config=options.configuration(config, settings, ocr=ocr, schema=schema, weights=weights),
        passwords=options.passwords(password, password_file),
        host=host,
        token=token,
        folders=tuple(folders or ()),
        jobs=jobs,
        max_upload=max_upload,
        max_documents=max_documents,
    )
    with _listening(host, port) as listener:
        Library.create(library, config=chosen.config)
        with alone(chosen):  # else it is told now, and not by the server when it starts
            pass
        address = _address(listener, host, token)
        typer.echo(f"docpipe is at {address}   (Ctrl-C ends it)")
        if browser:
            import webbrowser

            # Without the token, which would stand in the list of processes: the page asks for it.
            webbrowser.open(address.partition("#")[0])
        server = Server(create_app(chosen))
        with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
            server.run(sockets=[listener])
        if not server.started:
            raise typer.Exit(1)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigError(
            f"port {port} of {host} cannot be used: {error.strerror}",
            code="port",
            hint="is docpipe serve running already? name another with --port",
        ) from error


def _address(listener: socket.socket, host: str, token: str | None) -> str:
    """Where the page is. A token stands behind #, which a browser sends to nobody."""
    shown = f"[{host}]" if ":" in host else host
    secret = f"#token={urllib.parse.quote(token)}" if token else ""
    return f"http://{shown}:{listener.getsockname()[1]}/{secret}"
