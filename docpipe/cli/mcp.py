"""`docpipe mcp`: the library as an MCP server for assistants."""

from __future__ import annotations

from docpipe.cli import options
from docpipe.cli.options import (
    DEFAULT_LIBRARY,
    ConfigFile,
    LibraryDir,
    Schema,
    Settings,
    Weights,
)
from docpipe.errors import ConfigError


def mcp(
    library: LibraryDir = DEFAULT_LIBRARY,
    schema: Schema = None,
    weights: Weights = None,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Serve a library to assistants, by MCP on stdin and stdout.

    Tools: documents, search, read_page, ask and extract, each with page and boxes.
    """
    from docpipe.library import Library

    try:
        from docpipe.server.mcp import create_server
    except ImportError as error:
        raise ConfigError(
            f"the MCP server needs a package that is not installed: {error.name}",
            code="missing_extra",
            hint="pip install 'docpipe[serve]'",
        ) from error
    chosen = options.configuration(config, settings, schema=schema, weights=weights)
    create_server(Library.open(library, config=chosen)).run()
