"""The bench `reliability`: each promise about hard, damaged and hostile files, measured.

    g1  survival       no run dies, every input gets its line       survival
    g2  time           what hangs is killed in time                 limits
    g3  memory         caps hold and nothing piles up               limits
    g4  reasons        failures give the right reason code          survival
    g5  hygiene        clean text, harmless markup                  hygiene
    g6  honesty        junk is flagged, sound pages are not         honesty
    g7  hidden         what cannot be seen is set apart             honesty
    g8  isolation      no network, no file outside the library      isolation
    g9  repeatability  the same bytes, whatever happens             repeat
    g10 fuzz           as g1, for a minute, with other mutants      survival

The data is that of the bench `robust`. `Options.limit` is the number of mutants of g1, `parts` are
those to do, and with `work` finished parts and runs of g1 are kept, for the next
call to go on from.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from docpipe.bench.reliability.ground import Ground, join
from docpipe.bench.reliability.honesty import hidden, junk
from docpipe.bench.reliability.isolation import isolate
from docpipe.bench.reliability.limits import memory_limits, time_limits
from docpipe.bench.reliability.repeat import repeatability
from docpipe.bench.reliability.survival import fuzz, outputs, reasons, survive
from docpipe.bench.result import Measured
from docpipe.bench.task import Options
from docpipe.errors import ConfigError

PARTS: dict[str, Callable[[Ground], Measured]] = {
    "g1": survive,
    "g2": time_limits,
    "g3": memory_limits,
    "g4": reasons,
    "g5": outputs,
    "g6": junk,
    "g7": hidden,
    "g8": isolate,
    "g9": repeatability,
    "g10": fuzz,
}


def run(data: Path, options: Options) -> Measured:
    """All parts, or those named, over the data folder. Raises ConfigError for an unknown part, and
    for a `work` folder of another run."""
    names = options.parts or tuple(PARTS)
    if unknown := sorted(set(names) - PARTS.keys()):
        raise ConfigError(f"unknown part {unknown[0]!r}", hint=f"known: {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(prefix="docpipe-reliability-") as scratch:
        ground = Ground(data, options, Path(scratch))

        def measured() -> Iterator[tuple[str, Measured]]:
            for name in names:
                yield name, ground.kept.once(name, Measured, partial(PARTS[name], ground))

        return join(measured())
