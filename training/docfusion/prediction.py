"""Prediction samples with a model, to evaluate it."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.datasets.docfusion.samples import LayoutBox, Sample, Task
from docpipe.parsers.docfusion.codec import Codec
from docpipe.parsers.docfusion.generate import Generated, generate, layout_rule
from docpipe.parsers.docfusion.model import DocFusion
from docpipe.parsers.docfusion.vocabulary import Vocabulary
from docpipe.training.docfusion.data import Collator, Encoder
from docpipe.training.docfusion.metrics import Prediction, pooled, sample_scores


class Predictor:
    """Reads whole samples as they are, one image each, without cutting them to pieces."""

    def __init__(
        self, model: DocFusion, vocabulary: Vocabulary, *, beams: int = 1, batch: int = 16
    ) -> None:
        self.figures: dict[str, float] = {}
        self._size = batch
        self._model, self._beams = model, beams
        self._codec = Codec(model.config, vocabulary)
        self._encode = Encoder(model.config, vocabulary)
        self._collate = Collator(vocabulary)

    def predict(self, samples: Sequence[Sample]) -> list[Prediction]:
        """In the order of the samples, which are all of one task.

        What runs on to twice the length of the longest target is cut off there: models that have
        learnt little else would take most of the time.
        """
        found: list[Prediction] = []
        for start in range(0, len(samples), self._size):
            found += self._batch(samples[start : start + self._size])
        return found

    def _batch(self, samples: Sequence[Sample]) -> list[Prediction]:
        task = samples[0].task
        device = next(self._model.parameters()).device
        examples = [self._encode(sample) for sample in samples]
        pixels = self._collate.images([example.pixels for example in examples])
        rule = layout_rule(self._model.config) if task == "layout" else None
        was_training = self._model.training
        self._model.eval()
        outputs = generate(
            self._model,
            pixels.to(device),
            self._collate.prompt(task, len(samples)).to(device),
            longest=2 * max(len(example.labels) for example in examples),
            beams=self._beams,
            rule=rule,
        )
        self._model.train(was_training)
        return [self._prediction(sample, out) for sample, out in zip(samples, outputs, strict=True)]

    def _prediction(self, sample: Sample, output: Generated) -> Prediction:
        if sample.task != "layout":
            return Prediction(text=self._codec.read_text(output.ids))
        width, height = sample.image.size
        boxes = tuple(
            LayoutBox(found.label, self._codec.dequantise(found.bins, width, height))
            for found in self._codec.read_layout(output.ids)
        )
        return Prediction(boxes=boxes)


def evaluate(samples: Sequence[Sample], predictions: Sequence[Prediction]) -> dict[str, float]:
    """Means and pooled figures of samples of one task."""
    scores = [sample_scores(s, r) for s, r in zip(samples, predictions, strict=True)]
    names = dict.fromkeys(name for row in scores for name in row)
    means = {
        name: sum(row[name] for row in scores if name in row) / sum(name in row for row in scores)
        for name in names
    }
    task: Task = samples[0].task
    return means | pooled(task, list(zip(samples, predictions, strict=True)))
