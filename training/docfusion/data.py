"""Batches: which samples are in each, and samples as tensors.

What a batch holds follows from the seed and its number alone (and, in a run by minutes, from how
far the run is), so a resumed run goes on with the batch that comes next, without making those
before. All samples of a batch are of one task: images of tasks differ in size.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import Dataset, Sampler

from docpipe.datasets.docfusion.profiles import TRAIN
from docpipe.datasets.docfusion.samples import LayoutBox, Sample, SampleSource, Task
from docpipe.datasets.docfusion.synthetic import Level, synthetic
from docpipe.errors import ConfigError
from docpipe.geometry import BBox
from docpipe.parsers.docfusion.codec import Codec, Element
from docpipe.parsers.docfusion.config import DocFusionConfig
from docpipe.parsers.docfusion.loss import IGNORED
from docpipe.parsers.docfusion.processor import Processor, fit, normalised
from docpipe.parsers.docfusion.vocabulary import Vocabulary
from docpipe.training.docfusion.guidance import NOWHERE, places_in_table, places_on_page
from docpipe.training.docfusion.progress import Progress
from docpipe.training.docfusion.settings import DataSettings
from docpipe.training.docfusion.sources import limits_of, open_source

_SYNTHETIC = -1
_TRIES = 50  # samples in a row whose target is too long


class Key(NamedTuple):
    """Sample `number` of a source, numbered as in the settings."""

    task: Task
    source: int
    number: int
    level: Level


class Example(NamedTuple):
    """`pixels` (3, height, width), `labels` (L,) token ids, `places` (L, 4) of what they stand for
    in the image, where a model is told (see guidance)."""

    task: Task
    pixels: Tensor
    labels: Tensor
    places: Tensor | None = None


class TaskBatches(Sampler[list[Key]]):
    """Keys of each batch of a process, from the first not trained on yet.

    `batches_done` says how many batches a process has had; `rank` and `world` which and how many
    processes there are: they share the batches in turn.
    """

    def __init__(
        self,
        settings: DataSettings,
        sizes: Sequence[int],
        progress: Progress,
        batches_done: Callable[[], int],
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self._settings, self._sizes, self._progress = settings, sizes, progress
        self._done, self._rank, self._world = batches_done, rank, world

    def __len__(self) -> int:
        return self._progress.steps * self._settings.training.accumulation

    def __iter__(self) -> Iterator[list[Key]]:
        for number in range(self._done(), len(self)):
            yield self.batch(number * self._world + self._rank, number)

    def batch(self, number: int, turn: int) -> list[Key]:
        """Batch `number` of all processes together, in the stage that `turn` of one is in."""
        chance = random.Random(f"{self._settings.seed}/{number}")
        training = self._settings.training
        stage = part_at(self._settings.stages, self._progress.at(turn // training.accumulation))
        task = chance.choices(list(stage.tasks), list(stage.tasks.values()))[0]
        size = training.batch_sizes.get(task, training.batch_size)
        return [self._key(chance, task, stage.level) for _ in range(size)]

    def _key(self, chance: random.Random, task: Task, level: Level) -> Key:
        point = chance.random()
        for at, source in enumerate(self._settings.sources):
            if source.task == task and level != "words":
                point -= source.share
                if point < 0:
                    return Key(task, at, chance.randrange(self._sizes[at]), level)
        pool = self._settings.training.pool
        return Key(
            task, _SYNTHETIC, chance.randrange(pool) if pool else chance.getrandbits(40), level
        )


class Part(Protocol):
    """Of a run, until a share of it is done."""

    @property
    def until(self) -> float: ...


P = TypeVar("P", bound=Part)


def part_at(parts: Sequence[P], done: float) -> P:
    """The part of a run, such as a stage of the curriculum, when a share of it is done."""
    return next((part for part in parts if done < part.until), parts[-1])


class Encode(Protocol):
    """Samples as tensors of a model; `longest` is the most ids of a target."""

    longest: int

    def __call__(self, sample: Sample, seed: str = "") -> Example:
        """`seed` decides what is random about it."""
        ...


class Prompts(Protocol):
    def prompt(self, task: Task) -> list[int]: ...


class Examples(Dataset[Example]):
    """Samples as tensors of a model, made when they are asked for."""

    def __init__(self, settings: DataSettings, encode: Encode) -> None:
        self._settings, self._encode = settings, encode
        self._made: dict[Key, Example] = {}
        self._sources: list[SampleSource] = [
            open_source(source, settings.lengths) for source in settings.sources
        ]

    @property
    def sizes(self) -> list[int]:
        """Of the sources of the settings."""
        return [len(source) for source in self._sources]

    def __getitem__(self, key: Key) -> Example:
        """Raises ConfigError where target after target is too long for the model."""
        if not self._settings.training.pool:
            return self._make(key)
        if key not in self._made:  # a pool is small
            self._made[key] = self._make(key)
        return self._made[key]

    def _make(self, key: Key) -> Example:
        for attempt in range(_TRIES):
            example = self._encode(self._sample(key, attempt), f"{key}")
            if len(example.labels) <= self._encode.longest:
                return example
        raise ConfigError(
            f"targets of task {key.task!r} are longer than the model writes",
            hint="lower [lengths], or give the model longer targets",
        )

    def _sample(self, key: Key, attempt: int) -> Sample:
        if key.source == _SYNTHETIC:
            return synthetic(
                key.task,
                TRAIN,
                key.number + attempt * (1 << 41),
                seed=self._settings.seed,
                limits=limits_of(self._settings.lengths),
                level=key.level,
            )
        source = self._sources[key.source]
        return source[(key.number + attempt) % len(source)]


class Encoder:
    """An Encode for DocFusion; `jitter` moves boxes by up to so many bins, `guided` adds places."""

    def __init__(
        self,
        config: DocFusionConfig,
        vocabulary: Vocabulary,
        *,
        jitter: int = 0,
        guided: bool = False,
    ) -> None:
        self._processor = Processor(config)
        self._codec = Codec(config, vocabulary)
        self._config, self._vocabulary = config, vocabulary
        self._jitter, self._guided = jitter, guided
        self.longest = config.text.targets

    def __call__(self, sample: Sample, seed: str = "") -> Example:
        if sample.task == "layout":
            if self._jitter:
                sample = self.jittered(sample, self._jitter, seed)
            elements = [Element(item.label, item.box) for item in sample.boxes]
            ids = self._codec.layout_target(elements, *sample.image.size)
        else:
            ids = self._codec.text_target(sample.text)
        pixels = self._processor.image(sample.image, sample.task)
        places = self._places(sample, ids) if self._guided else None
        return Example(sample.task, pixels, torch.tensor(ids), places)

    def _places(self, sample: Sample, ids: Sequence[int]) -> Tensor | None:
        if sample.task == "layout":
            return places_on_page(ids, self._codec, self._config)
        if sample.task == "table":
            to = fit(*sample.image.size, self._config.crops.table)
            return places_in_table(ids, self._vocabulary, sample.cells, to)
        return None

    def jittered(self, sample: Sample, most: int, seed: str) -> Sample:
        """The sample with each side of its boxes moved by up to `most` bins, evenly."""
        chance = random.Random(seed)
        width, height = (side / self._config.bins for side in sample.image.size)

        def move(item: LayoutBox) -> LayoutBox:
            x0, y0, x1, y1 = (chance.randint(-most, most) for _ in range(4))
            box = item.box
            moved = BBox.of(
                box.x0 + x0 * width, box.y0 + y0 * height, box.x1 + x1 * width, box.y1 + y1 * height
            )
            return LayoutBox(item.label, moved.clip(*sample.image.size))

        return Sample(
            task=sample.task,
            image=sample.image,
            boxes=tuple(map(move, sample.boxes)),
            name=sample.name,
            group=sample.group,
        )


class Collator:
    """Examples of a task as a batch: `task`, `pixels` filled up with white, `prompt`, `labels`, and
    `places` where the examples have them."""

    def __init__(self, vocabulary: Prompts) -> None:
        self._vocabulary = vocabulary
        self._white = normalised(Image.new("RGB", (1, 1), "white"))

    def __call__(self, examples: Sequence[Example]) -> dict[str, Any]:
        labels = [example.labels for example in examples]
        batch: dict[str, Any] = {
            "task": examples[0].task,
            "pixels": self.images([example.pixels for example in examples]),
            "prompt": self.prompt(examples[0].task, len(examples)),
            "labels": torch.nn.utils.rnn.pad_sequence(labels, True, IGNORED),
        }
        places = [example.places for example in examples if example.places is not None]
        if places:
            batch["places"] = torch.nn.utils.rnn.pad_sequence(places, True, NOWHERE[0])
        return batch

    def images(self, images: Sequence[Tensor]) -> Tensor:
        height, width = (max(image.shape[axis] for image in images) for axis in (1, 2))
        batch = self._white.expand(len(images), 3, height, width).clone()
        for at, image in enumerate(images):
            batch[at, :, : image.shape[1], : image.shape[2]] = image
        return batch

    def prompt(self, task: Task, count: int) -> Tensor:
        """The prompt of a task, (count, tokens)."""
        return torch.tensor(self._vocabulary.prompt(task)).expand(count, -1)
