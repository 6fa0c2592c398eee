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


def questions(
    library: Annotated[Path, typer.Argument(help="The library to ask about.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The JSONL file to write.")],
    per_kind: Annotated[
        int, typer.Option("--per-kind", "-n", min=1, help="Of each kind a document, at most.")
    ] = 3,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Only this kind of question; may be given again."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other questions.")] = 0,
    json: Json = False,
) -> None:
    """Make up questions about a library's documents, with answers, gold pages and boxes.

    Each is checked, and can be made again from its id. Kinds and the file: docs/questions.md.
    """
    from collections import Counter

    from docpipe.cli.output import print_json, progress
    from docpipe.datasets.questions.record import write_jsonl
    from docpipe.datasets.questions.synthesis import Synthesiser
    from docpipe.library import Library

    maker = Synthesiser(Library.open(library), seed=seed, kinds=kind or ())
    with progress() as bar:
        made = [
            question
            for document in bar.track(maker.documents, description="documents")
            for question in maker.questions(document, per_kind)
        ]
    write_jsonl(output, made)
    counts = dict(Counter(question.kind for question in made))
    if json:
        print_json({"documents": len(maker.documents), "questions": counts})
    else:
        told = ", ".join(f"{count} {name}" for name, count in counts.items())
        typer.echo(f"{len(made)} questions about {len(maker.documents)} documents in {output}")
        typer.echo(f"  {told or 'none: the documents have no tables, captions or headings'}")
