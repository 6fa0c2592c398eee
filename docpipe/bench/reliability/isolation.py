"""G8: nothing is reached over the network, and nothing written outside the library."""

from __future__ import annotations

from docpipe.bench.reliability.command import run
from docpipe.bench.reliability.ground import Ground
from docpipe.bench.result import Measured, Row

QUESTIONS = ("What is the total amount?", "Who wrote the letter?")


def isolate(ground: Ground) -> Measured:
    """The whole data folder is ingested and asked under a seal.

    Figures: `sockets` that were not local (opening one also ends the process where `kernel` is 1:
    `ended` counts those), `files_outside` the library, `files_left` in the home and temporary
    folders.
    """
    whole, seal = ground.whole, ground.seal
    asked = [
        run(["ask", question, "--library", str(whole.root)], seal.environment)
        for question in QUESTIONS
    ]
    sockets, files = seal.events("network"), seal.events("file")
    left = [f"left {path.name}" for path in seal.leftovers()]
    started = seal.events("start")
    ended = sum("SIGSYS" in (line.message or "") for line in whole.lines)
    figures = {
        "processes": float(len(started)),
        "kernel": float(bool(started) and all(line.endswith("sealed") for line in started)),
        "sockets": float(len(sockets)),
        "ended": float(ended),
        "files_outside": float(len(files)),
        "files_left": float(len(left)),
        "answers": float(sum(answer.status == 0 for answer in asked)),
    }
    rows = [Row(event, {"contained": 0.0}) for event in (*sockets, *files, *left)]
    return Measured(rows, figures)
