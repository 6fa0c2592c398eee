"""`docpipe flow`: the configured stages, their weights, and a drawing."""

from __future__ import annotations

from typing import Annotated

import typer

from docpipe.cli import options
from docpipe.cli.options import ConfigFile, Json, Layout, Ocr, Schema, Settings, Weights


def flow(
    drawing: Annotated[
        bool, typer.Option("--mermaid", help="Print the drawing only, as Mermaid.")
    ] = False,
    ocr: Ocr = None,
    layout: Layout = None,
    schema: Schema = None,
    weights: Weights = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Show the stages a configuration names.

    With what each runs on, its size and its licence, and draw the flow. Exit code 1 when a stage
    cannot be used here.
    """
    from docpipe.cli.output import print_json, print_table
    from docpipe.flow import flow as flow_of
    from docpipe.flow import mermaid

    chosen = options.configuration(
        config, settings, ocr=ocr, layout=layout, schema=schema, weights=weights
    )
    parts = flow_of(chosen)
    if json:
        print_json(parts)
    elif drawing:
        print(mermaid(parts), end="")
    else:
        rows = [
            (
                part.step.replace("_", " "),
                part.name,
                part.purpose,
                part.weights,
                "" if part.megabytes is None else f"{part.megabytes:.1f}",
                part.licence,
                part.problem,
            )
            for part in parts
        ]
        columns = ("stage", "name", "what it does", "runs on", "MB", "licence", "problem")
        print_table("", columns, rows)
        print(mermaid(parts), end="")
    if any(part.problem for part in parts):
        raise typer.Exit(1)
