"""`docpipe train`: stages trained on data of one's own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Protocol

import typer

from docpipe.cli.options import Json
from docpipe.errors import ConfigError

Trainer = Callable[[Path, Path, bool, bool], None]


def train(
    name: Annotated[
        str,
        typer.Argument(help="knnformer, docfusion, pabdm, retriever or agent.", show_default=False),
    ],
    config: Annotated[Path, typer.Argument(help="A TOML file; see training/configs.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the model (default: NAME-model)."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder.")
    ] = False,
    json: Json = False,
) -> None:
    """Train a stage; write the model, a card of what was measured, and its log into a folder."""
    if name not in TRAINERS:
        raise ConfigError(f"unknown stage {name!r}", hint=f"known: {', '.join(TRAINERS)}")
    TRAINERS[name](config, output or Path(f"{name}-model"), resume, json)


def _knnformer(config: Path, output: Path, resume: bool, json: bool) -> None:
    from docpipe.cli.output import print_json, print_table, progress
    from docpipe.training.knnformer.settings import load_settings

    settings = load_settings(config)  # says what is wrong before seconds of imports
    from docpipe.training.steps import Steps
    from docpipe.training.train_knnformer import train

    with progress() as bar:
        task = bar.add_task("knnformer", total=None)
        shown = Steps(lambda done, total: bar.update(task, completed=done, total=total))
        command = shlex.join(["docpipe", *sys.argv[1:]])
        card = train(settings, output, resume=resume, command=command, callbacks=[shown])
    if json:
        print_json(card)
        return
    plain, matched = card.evaluation.argmax, card.evaluation.matched
    print_table(
        f"{output}: F1 on {card.test_pages} pages after {card.seconds:.0f} s",
        ("field", "argmax", "matched"),
        [
            ("micro", f"{plain.micro:.4f}", f"{matched.micro:.4f}"),
            ("macro", f"{plain.macro:.4f}", f"{matched.macro:.4f}"),
            *(
                (name, f"{plain.fields.get(name, 0.0):.4f}", f"{score:.4f}")
                for name, score in matched.fields.items()
            ),
        ],
    )


def _docfusion(config: Path, output: Path, resume: bool, json: bool) -> None:
    from docpipe.training.docfusion.settings import load_settings

    settings = load_settings(config)
    from docpipe.training.train_docfusion import train

    _crop_reader("docfusion", partial(train, settings, output, resume=resume), output, json)


def _pabdm(config: Path, output: Path, resume: bool, json: bool) -> None:
    from docpipe.training.pabdm.settings import load_settings

    settings = load_settings(config)
    from docpipe.training.train_pabdm import train

    _crop_reader("pabdm", partial(train, settings, output, resume=resume), output, json)


def _retriever(config: Path, output: Path, resume: bool, json: bool) -> None:
    from docpipe.cli.output import print_json, print_table, progress
    from docpipe.training.retriever.settings import load_settings

    settings = load_settings(config)
    from docpipe.training.steps import Steps
    from docpipe.training.train_retriever import train

    with progress() as bar:
        task = bar.add_task("retriever", total=None)
        shown = Steps(lambda done, total: bar.update(task, completed=done, total=total))
        command = shlex.join(["docpipe", *sys.argv[1:]])
        card = train(settings, output, resume=resume, command=command, callbacks=[shown])
    if json:
        print_json(card)
        return
    print_table(
        f"{output}: page recall of {card.after.questions} questions after {card.seconds:.0f} s",
        ("pages", "before", "after"),
        [
            (str(depth), f"{card.before.recall[depth]:.4f}", f"{recall:.4f}")
            for depth, recall in card.after.recall.items()
        ],
    )


def _agent(config: Path, output: Path, resume: bool, json: bool) -> None:
    from docpipe.cli.output import print_json, print_table, progress
    from docpipe.training.rl.settings import load_settings

    settings = load_settings(config)
    from docpipe.training.train_agent import train

    with progress() as bar:
        task = bar.add_task("agent", total=settings.steps)
        told: set[str] = set()

        def show(step: int, row: dict[str, float], problems: list[str]) -> None:
            bar.update(task, completed=step)
            for problem in sorted(set(problems) - told):
                bar.console.print(f"step {step}: {problem}")
            told.update(problems)

        command = shlex.join(["docpipe", *sys.argv[1:]])
        card = train(settings, output, resume=resume, command=command, show=show)
    if json:
        print_json(card)
        return
    print_table(
        f"{output}: {settings.steps} steps on {card.questions} questions in {card.minutes} minutes",
        ("evaluation", "before", "after"),
        [
            (name.removeprefix("eval_"), f"{card.before[name]:.4f}", f"{value:.4f}")
            for name, value in card.evaluation.items()
            if name in card.before
        ],
    )


class _Card(Protocol):
    """What is shown of the card of a model that reads crops."""

    @property
    def samples(self) -> dict[str, int]: ...
    @property
    def minutes(self) -> float: ...
    @property
    def evaluation(self) -> dict[str, float]: ...


def _crop_reader(name: str, train: Callable[..., _Card], output: Path, json: bool) -> None:
    from docpipe.cli.output import print_json, print_table, progress

    with progress() as bar:
        task = bar.add_task(f"{name}, thousandths", total=1000)

        def show(done: float, logs: dict[str, float]) -> None:
            bar.update(task, completed=round(1000 * done))
            for key, value in logs.items():
                bar.console.print(f"{key} {value:.4g}", end="  ")
            if logs:
                bar.console.print()

        card = train(command=shlex.join(["docpipe", *sys.argv[1:]]), show=show)
    if json:
        print_json(card)
        return
    print_table(
        f"{output}: {sum(card.samples.values())} samples in {card.minutes:.1f} minutes",
        ("figure", "value"),
        [(key, f"{value:.4f}") for key, value in card.evaluation.items()],
    )


TRAINERS: dict[str, Trainer] = {
    "knnformer": _knnformer,
    "docfusion": _docfusion,
    "pabdm": _pabdm,
    "retriever": _retriever,
    "agent": _agent,
}
