"""Prediction of samples with a model, to evaluate it."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.datasets.docfusion.samples import Sample
from docpipe.parsers.pabdm.decode import Decoded, decode
from docpipe.parsers.pabdm.model import PaBdm
from docpipe.parsers.pabdm.policies import Policy
from docpipe.parsers.pabdm.reader import longest_answer
from docpipe.parsers.pabdm.vocabulary import Tokens
from docpipe.training.docfusion.data import Collator
from docpipe.training.docfusion.metrics import Prediction
from docpipe.training.pabdm.data import Encoder, kind_of

_BATCH = 16


class Predictor:
    """Reads whole samples as they are, one image each, without cutting them to pieces.

    `policy` decodes; `decoded` are the batches of the last call, with what they cost, and `figures`
    the tokens that a forward gave.
    """

    def __init__(self, model: PaBdm, policy: Policy, *, batch: int = _BATCH) -> None:
        self.policy = policy
        self.decoded: list[Decoded] = []
        self.figures: dict[str, float] = {}
        self._model, self._most = model, batch
        self._tokens = Tokens(model.config.pieces)
        self._encode = Encoder(model.config)
        self._collate = Collator(self._encode)

    def predict(self, samples: Sequence[Sample]) -> list[Prediction]:
        """In the order of the samples, which are all of one task. The longest answer is the
        recogniser's: nothing here knows how long the right ones are."""
        was_training = self._model.training
        self._model.eval()
        starts = range(0, len(samples), self._most)
        self.decoded = [self._batch(samples[start : start + self._most]) for start in starts]
        self._model.train(was_training)
        self.figures = {"tokens_per_forward": tokens_per_forward(self.decoded)}
        answers = [answer for batch in self.decoded for answer in batch.answers]
        return [Prediction(text=self._tokens.decode(answer.ids)) for answer in answers]

    def _batch(self, samples: Sequence[Sample]) -> Decoded:
        device = next(self._model.parameters()).device
        examples = [self._encode(sample) for sample in samples]
        pixels = self._collate.images([example.pixels for example in examples])
        prompt = self._collate.prompt(samples[0].task, len(samples))
        context = self._model.context(pixels.to(device), prompt.to(device))
        size = (pixels.shape[2], pixels.shape[3])
        longest = longest_answer(self._model.config, kind_of(samples[0].task), size)
        return decode(context, self.policy, longest)


def tokens_per_forward(decoded: Sequence[Decoded]) -> float:
    """Tokens that a row gets from a forward that it takes part in, on average."""
    answers = [answer for batch in decoded for answer in batch.answers]
    return sum(len(a.ids) for a in answers) / max(sum(len(a.steps) for a in answers), 1)
