"""`docpipe data`: make data sets to train and measure on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
