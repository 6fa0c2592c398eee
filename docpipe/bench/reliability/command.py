"""The `docpipe` command as a user runs it: in a process of its own, which is watched."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from docpipe import codec
from docpipe.config import Config
from docpipe.ingest import ReportLine
from docpipe.library.store import Store
from docpipe.records import Document

_GLANCE = 0.05  # seconds between looks at the process


class Finished(msgspec.Struct, frozen=True):
    """A command that ended. `status` is negative for a signal, None when it was killed for being
    late; `peak_mb` is the most resident memory of its own process, without workers (0 where the
    system does not tell)."""

    status: int | None
    seconds: float
    peak_mb: int
    output: str

    @property
    def orderly(self) -> bool:
        """Whether it ended as documented: exit code 0 or 1, and no traceback."""
        return self.status in (0, 1) and "Traceback" not in self.output


class Ingested(msgspec.Struct, frozen=True):
    """What an ingest left behind."""

    finished: Finished
    root: Path
    lines: tuple[ReportLine, ...]

    def document(self, line: ReportLine) -> Document | None:
        """The document of a line of the report, None where there is none."""
        if line.document is None or line.status in ("failed", "skipped"):
            return None
        return Store(self.root).read_document(line.document)


def start(
    arguments: Sequence[str], output: IO[bytes], environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Begin a `docpipe` command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "docpipe", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=os.environ | (environment or {}),
        start_new_session=True,
    )


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    timeout: float | None = None,
) -> Finished:
    """Run a `docpipe` command to its end, or kill it after `timeout` seconds."""
    with tempfile.TemporaryFile() as output:
        started = time.monotonic()
        process = start(arguments, output, environment)
        peak, late = 0, False
        try:
            while process.poll() is None and not late:
                peak = max(peak, _peak_mb(process.pid))
                late = timeout is not None and time.monotonic() - started > timeout
                time.sleep(_GLANCE)
        finally:  # also when this process is interrupted
            kill(process)
        seconds = time.monotonic() - started
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Finished(None if late else process.returncode, seconds, peak, text)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a command at once, as a power failure would; safe when it has ended."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def ingest(
    inputs: Sequence[Path],
    root: Path,
    config: Config,
    *,
    jobs: int | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Ingested:
    """Run `docpipe ingest` into the library `root`."""
    arguments = ingest_arguments(inputs, root, config, jobs)
    finished = run(arguments, environment, timeout=timeout)
    return Ingested(finished, root, read_report(root))


def ingest_arguments(
    inputs: Sequence[Path], root: Path, config: Config, jobs: int | None = None
) -> list[str]:
    number = [] if jobs is None else ["--jobs", str(jobs)]
    return ["ingest", *map(str, inputs), "--library", str(root), *number, *settings(config)]


def read_report(root: Path) -> tuple[ReportLine, ...]:
    """The lines of a library's report; none when the ingest did not come that far."""
    path = root / "report.jsonl"
    if not path.exists():
        return ()
    return tuple(codec.decode(line, ReportLine) for line in path.read_bytes().splitlines())


def settings(config: Config) -> list[str]:
    """The arguments that make the command use this configuration."""
    usual = msgspec.to_builtins(Config())
    flat: dict[str, Any] = {}
    for key, value in msgspec.to_builtins(config).items():
        if value == usual[key]:
            continue
        if isinstance(value, dict):
            parts = dict(value)
            for name, part in (parts.pop("options", {}) | parts).items():
                flat[f"{key}.{name}"] = part
        else:
            flat[key] = value
    return [f"--set={key}={json.dumps(value)}" for key, value in flat.items()]


def _peak_mb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) >> 10
    return 0
