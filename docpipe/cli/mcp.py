"""`docpipe mcp`: the library as an MCP server for assistants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from docpipe.cli import options
from docpipe.cli.options import (
    DEFAULT_LIBRARY,
    ConfigFile,
    LibraryDir,
    Password,
    PasswordFile,
    Schema,
    Settings,
    Weights,
)
from docpipe.errors import ConfigError

if TYPE_CHECKING:
    from docpipe.config import Config


def mcp(
    library: LibraryDir = DEFAULT_LIBRARY,
    schema: Schema = None,
    weights: Weights = None,
    password: Password = None,
    password_file: PasswordFile = None,
    config: ConfigFile = None,
    settings: Settings = None,
) -> None:
    """Serve a library to assistants, by MCP on stdin and stdout.

    Tools: documents, search, read_page, ask and extract, each with page and boxes. An answer ends
    after limits.answer_timeout seconds with what was read until then.
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
    given = options.passwords(password, password_file)
    create_server(Library.open(library, config=_in_time(chosen), passwords=given)).run()


def _in_time(config: Config) -> Config:
    """With the time of an answer as a bound of docpipe's own agent, unless it has one."""
    agent = config.agent
    if agent.name != "mmdocr1" or "seconds" in agent.options:
        return config
    bounded = agent.options | {"seconds": config.limits.answer_timeout}
    agent = msgspec.structs.replace(agent, options=bounded)
    return msgspec.structs.replace(config, agent=agent)
