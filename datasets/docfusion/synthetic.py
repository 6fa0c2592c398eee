"""One synthetic sample of any task, decided by its number alone."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from docpipe.datasets.docfusion.crops import text_crop
from docpipe.datasets.docfusion.formulas import formula_crop
from docpipe.datasets.docfusion.ink import Gray
from docpipe.datasets.docfusion.pages import page
from docpipe.datasets.docfusion.profiles import Profile
from docpipe.datasets.docfusion.samples import Sample, Task
from docpipe.datasets.docfusion.tables import table_crop

Level = Literal["words", "lines"]


class Limits(NamedTuple):
    """The most characters of a target, by task; `lines` of a text crop."""

    text: int = 46
    formula: int = 120
    table: int = 500
    lines: int = 1


DEFAULT_LIMITS = Limits()


def synthetic(
    task: Task,
    profile: Profile,
    number: int,
    *,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    level: Level = "lines",
) -> Sample:
    """Sample `number` of a task, the same on every call; at level "words" texts are one or two.

    Raises ConfigError where a font is not installed.
    """
    from PIL import Image

    name = f"{profile.split}/{task}/{seed}/{number}"
    chance = random.Random(name)

    def sample(image: Gray, **content: object) -> Sample:
        made = Image.fromarray(image).convert("RGB")
        return Sample(task=task, image=made, name=name, group=name, **content)  # type: ignore[arg-type]

    match task:
        case "text":
            words_only, lines = level == "words", limits.lines if level == "lines" else 1
            image, said = text_crop(
                chance, profile, limits.text, words_only=words_only, lines=lines
            )
            return sample(image, text=said)
        case "formula":
            image, latex = formula_crop(chance, profile, limits.formula)
            return sample(image, text=latex)
        case "table":
            image, latex, cells = table_crop(chance, profile, limits.table)
            return sample(image, text=latex, cells=cells)
        case "layout":
            image, boxes = page(chance, profile)
            return sample(image, boxes=boxes)


class SyntheticSamples:
    """`count` samples of `synthetic` as a SampleSource."""

    def __init__(
        self,
        task: Task,
        profile: Profile,
        count: int,
        *,
        seed: int = 0,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._task: Task = task
        self._profile, self._count = profile, count
        self._seed, self._limits = seed, limits

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> Sample:
        if not 0 <= number < self._count:
            raise IndexError(number)
        return synthetic(self._task, self._profile, number, seed=self._seed, limits=self._limits)
