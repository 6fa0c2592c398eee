"""G1, G4, G5 and G10: no run dies, every input is accounted for, with the right reason."""

from __future__ import annotations

import itertools
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, partial

import msgspec

from docpipe import codec
from docpipe.bench.reliability.command import Finished, Ingested, ingest
from docpipe.bench.reliability.ground import SECONDS_PER_FILE, Ground, share
from docpipe.bench.reliability.hygiene import problems
from docpipe.bench.reliability.mutants import mutant, sources
from docpipe.bench.result import Measured, Row
from docpipe.bench.robust import result_of
from docpipe.datasets.samples import samples_folder
from docpipe.errors import DocpipeError
from docpipe.ingest import ReportLine

MUTANTS = 200
FUZZ_SECONDS = 60.0
_SLICE = 100  # mutants a run
_FUZZ_SLICE = 20
_CONTROLS = ("form.pdf", "invoice.pdf", "receipt.pdf")
_DIED = "the worker ended by itself"


class Ran(msgspec.Struct, frozen=True):
    """A run of the command and its report."""

    finished: Finished
    lines: tuple[ReportLine, ...]


class Slice(msgspec.Struct, frozen=True):
    """What became of some mutants in one run, with sound files among them.

    `lost` are the sound files whose document is not what it is without mutants beside it.
    """

    run: Ran
    mutants: list[str]
    lost: list[str]
    unclean: dict[str, list[str]]


def survive(ground: Ground) -> Measured:
    """G1: the data folder and mutants of its files (200, or as many as `limit`) through the
    command.

    Row score `survived`: the run ended orderly and gave the input exactly one line. Figures:
    `orderly_runs` of `runs`, `lost_controls`, `crashes` of workers and `internal` reasons, which
    are no deaths but should not be, `unclean` documents as for G5, `parent_peak_mb`.
    """
    whole = ground.kept.once("g1-files", Ran, lambda: _ran(ground.whole))
    names = sorted(path.name for path in ground.data.glob("*.pdf"))
    rows = _rows(whole, names)
    slices = []
    wanted = range(ground.options.limit or MUTANTS)
    batches = [wanted[start : start + _SLICE] for start in range(0, len(wanted), _SLICE)]
    swarm = Swarm(ground, ground.options.seed)
    for numbers in ground.options.track(batches):
        part = ground.kept.once(f"g1-{numbers[0]}", Slice, partial(swarm.run, numbers))
        slices.append(part)
        rows += _rows(part.run, part.mutants)
    return Measured(rows, _figures([whole, *(part.run for part in slices)], slices), _notes(slices))


def fuzz(ground: Ground) -> Measured:
    """G10: other mutants, as many as fit into a minute. Rows and figures as for G1."""
    ends = time.monotonic() + FUZZ_SECONDS
    numbers = itertools.count(0, _FUZZ_SLICE)
    batches = (
        range(start, start + _FUZZ_SLICE)
        for start in itertools.takewhile(lambda _: time.monotonic() < ends, numbers)
    )
    slices = list(map(Swarm(ground, ground.options.seed + 1).run, batches))
    rows = [row for part in slices for row in _rows(part.run, part.mutants)]
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


class Swarm:
    """Runs mutants of one seed, a slice at a time, with sound files among them."""

    def __init__(self, ground: Ground, seed: int) -> None:
        self._ground = ground
        self._seed = seed
        self._files = sources(ground.data)
        self._controls = [samples_folder() / name for name in _CONTROLS]

    def run(self, numbers: Sequence[int]) -> Slice:
        """What becomes of the mutants with these numbers."""
        scratch = self._ground.scratch
        folder, root = scratch / "mutants", scratch / "mutants-library"
        made = [mutant(self._files, self._seed, number) for number in numbers]
        folder.mkdir()
        for item in made:
            (folder / item.name).write_bytes(item.data)
        for control in self._controls:
            shutil.copy(control, folder)
        limit = 120 + SECONDS_PER_FILE * len(made)
        run = ingest([folder], root, self._ground.options.config, timeout=limit)
        found = _documents(run)
        lost = [name for name in _CONTROLS if found.get(name) != self._sound.get(name)]
        part = Slice(_ran(run), [item.name for item in made], lost, _unclean(run))
        shutil.rmtree(folder)
        shutil.rmtree(root)
        return part

    @cached_property
    def _sound(self) -> dict[str, bytes | None]:
        """The sound files' documents without mutants beside them."""
        alone = self._ground.scratch / "controls"
        documents = _documents(ingest(self._controls, alone, self._ground.options.config))
        shutil.rmtree(alone)
        return documents


def _ran(run: Ingested) -> Ran:
    return Ran(run.finished, run.lines)


def _documents(run: Ingested) -> dict[str, bytes | None]:
    documents = ((line.name, run.document(line)) for line in run.lines if line.name in _CONTROLS)
    return {name: None if found is None else codec.encode(found) for name, found in documents}


def _unclean(run: Ingested) -> dict[str, list[str]]:
    """What is wrong with the documents of a run, by name; one that cannot be read is, too."""
    found: dict[str, list[str]] = {}
    for line in run.lines:
        try:
            document = run.document(line)
        except DocpipeError as error:
            found[line.name] = [f"it cannot be read: {error}"]
            continue
        if document is not None and (wrong := problems(document)):
            found[line.name] = wrong
    return found


def _rows(run: Ran, names: Iterable[str]) -> list[Row]:
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


def _figures(runs: Sequence[Ran], slices: Sequence[Slice]) -> dict[str, float]:
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
