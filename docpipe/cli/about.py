"""`docpipe doctor` and `docpipe stages`."""

from __future__ import annotations

from typing import Annotated

import typer

from docpipe.cli.options import Json


def doctor(json: Json = False) -> None:
    """Show which parts and weights work here.

    And how to get what is missing. Exit code 1 when something is broken.
    """
    from docpipe.cli.output import print_json, print_table
    from docpipe.doctor import check_all

    checks = check_all()
    if json:
        print_json(checks)
    else:
        rows = [(c.part, c.state, c.purpose, c.detail, c.remedy) for c in checks]
        print_table("", ("part", "state", "for", "found", "to get it"), rows)
    if any(check.state == "broken" for check in checks):
        raise typer.Exit(1)


def stages(
    kind: Annotated[str | None, typer.Argument(help="Show one kind only, such as parser.")] = None,
    json: Json = False,
) -> None:
    """List the stages and their options."""
    from docpipe.cli.output import print_json, print_table
    from docpipe.errors import ConfigError
    from docpipe.registry import KINDS, describe

    if kind is not None and kind not in KINDS:
        raise ConfigError(f"unknown kind {kind!r}", hint=f"known: {', '.join(KINDS)}")
    found = [stage for stage in describe() if kind in (None, stage.kind)]
    if json:
        print_json(found)
    else:
        rows = [
            (stage.kind, stage.name, ", ".join(stage.options) or stage.problem, stage.target)
            for stage in found
        ]
        print_table("", ("kind", "name", "options", "where"), rows)
