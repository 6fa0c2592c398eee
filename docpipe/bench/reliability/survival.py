"""G1, G4, G5 and G10: no run dies, every input is accounted for, with the right reason."""

from __future__ import annotations

import itertools
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from docpipe import codec
from docpipe.bench.reliability.command import Ingested, ingest
from docpipe.bench.reliability.ground import SECONDS_PER_FILE, Ground, share
from docpipe.bench.reliability.hygiene import problems
from docpipe.bench.reliability.mutants import Mutant, mutant, sources
from docpipe.bench.result import Measured, Row
from docpipe.bench.robust import result_of
from docpipe.datasets.samples import samples_folder
from docpipe.ingest import ReportLine

MUTANTS = 200
FUZZ_SECONDS = 60.0
_SLICE = 100  # mutants a run
_FUZZ_SLICE = 20
_CONTROLS = ("form.pdf", "invoice.pdf", "receipt.pdf")
_DIED = "the worker ended by itself"


class Slice(msgspec.Struct, frozen=True):
    """What became of some mutants in one run, with sound files among them.

    `lost` are the sound files whose document is not what it is without mutants beside it.
    """

    run: Ingested
    mutants: Sequence[Mutant]
    lost: list[str]
    unclean: dict[str, list[str]]


def survive(ground: Ground) -> Measured:
    """G1: the data folder and mutants of its files (200, or as many as `limit`) through the
    command.

    Row score `survived`: the run ended orderly and gave the input exactly one line. Figures:
    `orderly_runs` of `runs`, `lost_controls`, `crashes` of workers and `internal` reasons, which
    are no deaths but should not be, `unclean` documents as for G5, `parent_peak_mb`.
    """
    whole = ground.whole
    names = sorted(path.name for path in ground.data.glob("*.pdf"))
    rows = _rows(whole, names)
    slices = []
    wanted = range(ground.options.limit or MUTANTS)
    batches = [wanted[start : start + _SLICE] for start in range(0, len(wanted), _SLICE)]
    for part in _slices(ground, ground.options.seed, ground.options.track(batches)):
        slices.append(part)
        rows += _rows(part.run, [made.name for made in part.mutants])
    return Measured(rows, _figures([whole, *(part.run for part in slices)], slices), _notes(slices))


def fuzz(ground: Ground) -> Measured:
    """G10: other mutants, as many as fit into a minute. Rows and figures as for G1."""
    ends = time.monotonic() + FUZZ_SECONDS
    numbers = itertools.count(0, _FUZZ_SLICE)
    batches = (
        range(start, start + _FUZZ_SLICE)
        for start in itertools.takewhile(lambda _: time.monotonic() < ends, numbers)
    )
    slices = list(_slices(ground, ground.options.seed + 1, batches))
    rows = [row for part in slices for row in _rows(part.run, [made.name for made in part.mutants])]
    return Measured(rows, _figures([part.run for part in slices], slices), _notes(slices))


def reasons(ground: Ground) -> Measured:
    """G4: the files of the data folder that have to fail give the reason that is expected."""
    rows = []
    for case in ground.cases:
        if "error" in case.check:
            attempt = ground.attempts[case.path.name]
            wrong = ground.judge({"error": case.check["error"]}, result_of(attempt))
            given = attempt.line.reason or attempt.line.status
            info: dict[str, str | int | float] = {"given": given, "wanted": case.check["error"]}
            rows.append(Row(case.path.name, {"exact": float(not wrong)}, info))
    return Measured(rows, {"files": float(len(rows))})


def outputs(ground: Ground) -> Measured:
    """G5: JSON, Markdown and HTML of every document of the data folder."""
    rows = []
    for name, attempt in sorted(ground.attempts.items()):
        if attempt.document is not None:
            found = problems(attempt.document)
            info: dict[str, str | int | float] = {"problems": "; ".join(found[:5])} if found else {}
            rows.append(Row(name, {"clean": float(not found)}, info))
    return Measured(rows, {"documents": float(len(rows))})


def _slices(ground: Ground, seed: int, batches: Iterable[Sequence[int]]) -> Iterator[Slice]:
    files = sources(ground.data)
    controls = [samples_folder() / name for name in _CONTROLS]
    alone = ground.scratch / "controls"
    sound = _documents(ingest(controls, alone, ground.options.config))
    shutil.rmtree(alone)
    for numbers in batches:
        folder, root = ground.scratch / "mutants", ground.scratch / "mutants-library"
        made = [mutant(files, seed, number) for number in numbers]
        folder.mkdir()
        for item in made:
            (folder / item.name).write_bytes(item.data)
        for control in controls:
            shutil.copy(control, folder)
        limit = 120 + SECONDS_PER_FILE * len(made)
        run = ingest([folder], root, ground.options.config, timeout=limit)
        found = _documents(run)
        lost = [name for name in _CONTROLS if found.get(name) != sound.get(name)]
        yield Slice(run, made, lost, _unclean(run))
        shutil.rmtree(folder)
        shutil.rmtree(root)


def _documents(run: Ingested) -> dict[str, bytes | None]:
    documents = ((line.name, run.document(line)) for line in run.lines)
    return {name: None if found is None else codec.encode(found) for name, found in documents}


def _unclean(run: Ingested) -> dict[str, list[str]]:
    documents = ((line.name, run.document(line)) for line in run.lines)
    found = ((name, problems(document)) for name, document in documents if document is not None)
    return {name: wrong for name, wrong in found if wrong}


def _rows(run: Ingested, names: Iterable[str]) -> list[Row]:
    counts = Counter(line.name for line in run.lines)
    lines = {line.name: line for line in run.lines}
    return [
        Row(
            name,
            {"survived": float(run.finished.orderly and counts[name] == 1)},
            _info(lines[name]) if name in lines else {},
        )
        for name in names
    ]


def _info(line: ReportLine) -> dict[str, str | int | float]:
    known: dict[str, str | int | float] = {"status": line.status, "seconds": line.seconds}
    if line.reason is not None:
        known |= {"reason": line.reason, "message": line.message or ""}
    return known


def _figures(runs: Sequence[Ingested], slices: Sequence[Slice]) -> dict[str, float]:
    lines = [line for run in runs for line in run.lines]
    internal = [line for line in lines if line.reason == "internal"]
    figures = {
        "mutants": sum(len(part.mutants) for part in slices),
        "runs": len(runs),
        "orderly_runs": sum(run.finished.orderly for run in runs),
        "lost_controls": sum(len(part.lost) for part in slices),
        "crashes": sum(_DIED in (line.message or "") for line in internal),
        "internal": len(internal),
        "unclean": sum(len(part.unclean) for part in slices),
        "parent_peak_mb": max((run.finished.peak_mb for run in runs), default=0),
        "worker_peak_mb": max((line.peak_mb for line in lines), default=0),
        "slowest_s": max((line.seconds for line in lines), default=0.0),
        "seconds": sum(run.finished.seconds for run in runs),
        "read_share": share(line.status in ("ok", "partial") for line in lines),
    }
    return {name: float(value) for name, value in figures.items()}


def _notes(slices: Sequence[Slice]) -> tuple[str, ...]:
    """What a person should look at."""
    disorderly = [
        f"a run ended with {part.run.finished.status}: {part.run.finished.output[-500:]}"
        for part in slices
        if not part.run.finished.orderly
    ]
    unclean = [
        f"{name}: {'; '.join(found[:3])}" for part in slices for name, found in part.unclean.items()
    ]
    return (*disorderly, *unclean)
