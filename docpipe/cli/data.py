"""`docpipe data`: make data sets to train and measure on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docpipe.cli import options
from docpipe.cli.options import ConfigFile, Json, Settings


def kie(
    schema: Annotated[str, typer.Option("--schema", help="invoice, id, form or receipt.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")],
    documents: Annotated[int, typer.Option("--documents", "-n", min=1, help="How many.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other documents.")] = 0,
    split: Annotated[
        str,
        typer.Option("--split", help="train, or test: other designs, and other names and words."),
    ] = "train",
    pdf: Annotated[bool, typer.Option("--pdf", help="Write each document as a PDF, too.")] = False,
) -> None:
    """Make up documents with labelled fields: OUTPUT/SPLIT.jsonl, and PDFs in OUTPUT/SPLIT."""
    from docpipe.cli.output import progress
    from docpipe.datasets import synthetic_kie
    from docpipe.datasets.kie import write_jsonl

    made = synthetic_kie.drafts(schema, documents, seed, split)
    folder = output / split
    (folder if pdf else output).mkdir(parents=True, exist_ok=True)
    with progress() as bar:
        records = []
        for draft in bar.track(made, total=documents, description=f"{schema} documents"):
            records.append(draft.document())
            if pdf:
                (folder / f"{draft.key}.pdf").write_bytes(synthetic_kie.write_pdf(draft.sheets))
    target = output / f"{split}.jsonl"
    write_jsonl(target, records)
    typer.echo(f"{len(records)} documents in {target}" + (f", PDFs in {folder}" if pdf else ""))


def docfusion(
    folder: Annotated[Path, typer.Argument(help="PDFs with a text layer.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")],
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Documents at most.")] = None,
    pages: Annotated[int, typer.Option("--pages", min=1, help="Of a document at most.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Of the choice of pages and lines.")] = 0,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Label PDFs with the configured parser, to train DocFusion on: pages, lines, tables.

    Exit code 1 when some file gave nothing.
    """
    from docpipe.cli.output import print_json, progress
    from docpipe.datasets.docfusion.labelling import Labelling, label_folder
    from docpipe.pipeline import Pipeline

    pipeline = Pipeline(options.configuration(config, settings))
    with progress() as bar:
        task = bar.add_task("documents", total=None)
        report = label_folder(
            folder,
            output,
            pipeline,
            Labelling(pages=pages, seed=seed),
            limit=limit,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        print_json(report)
    else:
        counts = ", ".join(f"{count} {task}" for task, count in report.samples.items())
        typer.echo(f"{counts or 'nothing'} from {report.documents} documents in {output}")
        for name, reason in report.failed.items():
            typer.echo(f"  {name}: {reason}")
    if report.failed:
        raise typer.Exit(1)
