"""The typer application: global options, error handling, and the list of commands."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from docpipe import __version__
from docpipe.cli import about, bench, convert, library
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


for command in (
    library.ingest,
    library.ask,
    library.search,
    library.status,
    convert.parse,
    convert.show,
    about.doctor,
    about.stages,
    bench.bench,
):
    app.command()(command)


def main() -> None:
    """Run the command line; a docpipe error becomes one line on stderr and an exit code."""
    try:
        app(prog_name="docpipe")
    except DocpipeError as error:
        if os.environ.get("DOCPIPE_DEBUG"):
            raise
        from docpipe.cli.output import fail

        fail(error)
        sys.exit(2 if isinstance(error, ConfigError) else 1)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader of stdout (head, less) has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
