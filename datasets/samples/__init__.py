"""Sample documents of our own: every kind docpipe reads, with questions and known answers.

The PDFs are shipped with the package. `python -m docpipe.datasets.samples OUT` makes them again:
the same bytes for the same seed and the same version of PyMuPDF and Pillow. All names and figures
in them are invented.
"""

from __future__ import annotations

from pathlib import Path

from docpipe.datasets.samples.questions import QUESTIONS, SampleQuestion

__all__ = [
    "NAMES",
    "QUESTIONS",
    "SampleQuestion",
    "make_samples",
    "samples_folder",
    "write_samples",
]

NAMES = ("form.pdf", "invoice.pdf", "letter.pdf", "manual.pdf", "receipt.pdf", "report.pdf")


def samples_folder() -> Path:
    """The folder of the PDFs that came with the package."""
    return Path(__file__).parent


def make_samples(seed: int = 0) -> dict[str, bytes]:
    """The sample PDFs by name; `seed` draws the noise of the scanned letter. Takes seconds."""
    from docpipe.datasets.samples.business import invoice, receipt
    from docpipe.datasets.samples.form import form
    from docpipe.datasets.samples.letter import letter
    from docpipe.datasets.samples.manual import manual
    from docpipe.datasets.samples.report import report

    made = (form(), invoice(), letter(seed), manual(), receipt(), report())
    return dict(zip(NAMES, made, strict=True))


def write_samples(folder: Path, seed: int = 0) -> list[Path]:
    """Write the sample PDFs into `folder`, which is made if need be. Returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, data in make_samples(seed).items():
        (folder / name).write_bytes(data)
        paths.append(folder / name)
    return paths
