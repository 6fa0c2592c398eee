"""What an agent did, step by step, for people and as JSON lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from docpipe.errors import ConfigError
from docpipe.records import (
    Action,
    Calculate,
    Finish,
    Look,
    Malformed,
    PageRequest,
    Read,
    Search,
    Trajectory,
)

_SHOWN = 160
_LINES = 12


def print_trace(trajectory: Trajectory, name: Callable[[str], str]) -> None:
    """Each query or reading, what came back, and why it ended, on stderr; `name` is of a document
    by its id."""
    from docpipe.cli.output import note

    for number, step in enumerate(trajectory.steps, start=1):
        note(f"{number}. {_said(step.action, name)}")
        if step.thought:
            note(f"     thought: {_short(step.thought)}")
        lines = step.observation.splitlines()
        for line in lines[:_LINES]:
            note(f"     {_short(line)}")
        if len(lines) > _LINES:
            note(f"     and {len(lines) - _LINES} lines more")
    if trajectory.tokens:
        cost = f", cost {trajectory.cost:.4g}" if trajectory.cost else ""
        note(f"{trajectory.tokens} tokens{cost}")


def append_trajectory(path: Path, trajectory: Trajectory) -> None:
    """Add a line of JSON to a file. Raises ConfigError when it cannot be written."""
    try:
        with path.open("ab") as file:
            file.write(msgspec.json.encode(trajectory) + b"\n")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error


def _said(action: Action, name: Callable[[str], str]) -> str:
    match action:
        case Search(queries=queries, documents=documents):
            within = f" in {', '.join(map(name, documents))}" if documents else ""
            return "search   " + "; ".join(f"“{query}”" for query in queries) + within
        case Read(requests=requests):
            return "read     " + "; ".join(_request(request, name) for request in requests)
        case Look(document=document, region=region):
            box = ", ".join(f"{edge:g}" for edge in msgspec.structs.astuple(region.bbox))
            return f"look     {name(document)}, page {region.page}, box [{box}]"
        case Calculate(expression=expression):
            return f"calculate {expression}"
        case Malformed():
            return "no action"
        case Finish(reason=reason):
            return f"finish   {reason}"


def _request(request: PageRequest, name: Callable[[str], str]) -> str:
    pages = ", ".join(map(str, request.pages))
    return f"{name(request.document)}, page {pages}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} …"
