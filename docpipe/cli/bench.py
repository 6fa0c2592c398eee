"""`docpipe bench`: figures on real documents."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from docpipe.cli import options
from docpipe.cli.options import ConfigFile, Json, Settings
from docpipe.errors import ConfigError


def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            help="parse, ablation, headings, ocr, retrieval, answer, agent, knnformer, extract, "
            "robust, reliability, speed, docfusion, pabdm or advantages.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="The folder of its data (docs/data.md)."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Documents (or seeds) at most.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the choice and the intervals.")] = 0,
    library: Annotated[
        Path | None, typer.Option("--library", "-L", help="An ingested library to use.")
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option("--part", help="Only this part; may be repeated.")
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="Keep finished trainings here, and go on from them."),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--compare", help="Two result files, before and after.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the JSON result here, too.")
    ] = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Measure docpipe on data, or compare results."""
    from docpipe import bench as benches
    from docpipe.cli.output import print_json, print_table, progress

    if compare is not None:
        comparison = benches.compare(*(benches.load_result(path) for path in compare))
        if json:
            print_json(comparison)
            return
        for sheet in benches.comparison_sheets(comparison):
            print_table(sheet.title, sheet.columns, sheet.rows)
        return
    if name is None:
        known = ", ".join(benches.BENCHES)
        raise ConfigError("name a bench", hint=f"benches: {known}; or --compare")
    with progress() as bar:
        task = bar.add_task(name, total=None)
        chosen = benches.Options(
            limit=limit,
            seed=seed,
            library=library,
            parts=tuple(part or ()),
            work=work,
            config=options.configuration(config, settings),
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
        result = benches.run_bench(
            name, data, chosen, command=shlex.join(["docpipe", *sys.argv[1:]])
        )
    if output is not None:
        import msgspec

        output.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    if json:
        print_json(result)
        return
    for sheet in benches.result_sheets(result):
        print_table(sheet.title, sheet.columns, sheet.rows)
    for remark in result.notes:
        print(remark)
