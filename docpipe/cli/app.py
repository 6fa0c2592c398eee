"""The typer application: global options, error handling, and the list of commands."""

from __future__ import annotations

import functools
import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from docpipe import __version__
from docpipe.cli import about, bench, convert, data, extract, flow, library, mcp, serve, train
from docpipe.cli.output import fail, note
from docpipe.errors import ConfigError, DocpipeError

app = typer.Typer(
    name="docpipe",
    help="Turn folders of PDFs into typed data, and ask questions that are answered with page and "
    "box.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help costs as much time as all of the rest
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"docpipe {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Options that stand before the command."""
    if debug:
        os.environ["DOCPIPE_DEBUG"] = "1"


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with what goes wrong in it told in one line and an exit code."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except (typer.Exit, typer.BadParameter):
            raise
        except KeyboardInterrupt:
            note("interrupted: run the same command again; an ingest goes on where it was")
            raise typer.Exit(130) from None
        except Exception as error:
            if os.environ.get("DOCPIPE_DEBUG"):
                raise
            raise typer.Exit(_explain(error)) from error

    return run


def _explain(error: Exception) -> int:
    """Say what went wrong; the exit code."""
    match error:
        case DocpipeError():
            fail(error.message, error.code, error.hint)
            return 2 if isinstance(error, ConfigError) else 1
        case BrokenPipeError():  # the reader of stdout (head, less) has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case OSError():
            fail(f"{error.filename or 'output'}: {error.strerror}", "file_system", "")
            return 1
    hint = "this is a defect of docpipe: run it with --debug, and report what that shows"
    fail(f"{type(error).__name__}: {error}", "internal", hint)
    return 1


for command in (
    library.ingest,
    library.ask,
    library.search,
    library.status,
    convert.parse,
    extract.extract,
    serve.serve,
    mcp.mcp,
    convert.show,
    about.doctor,
    about.stages,
    flow.flow,
    bench.bench,
    train.train,
):
    app.command()(_guarded(command))

data_app = typer.Typer(
    name="data",
    help="Make data sets to train and measure on.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for maker in (data.kie, data.docfusion, data.questions):
    data_app.command()(_guarded(maker))
app.add_typer(data_app)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # documents hold what a terminal may not show
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="docpipe")
