"""The small model: a vision prefix and a prompt, then the answer, in one decoder.

    [image tokens; prompt; answer]     positions 0, 1, 2, … for all of them [C]

A masked position predicts its own token, not the next one [C]. The mask is a row of the token table
[C]. Tokens of the answer have learnt positions besides [D]: which character of a line a mask stands
for is hard to tell by rotary positions alone.

Shapes: B images, P prefix positions, L answer tokens, d width, V tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from docpipe.parsers.docfusion.model import sinusoids
from docpipe.parsers.pabdm.config import PaBdmConfig
from docpipe.parsers.pabdm.decoder import Decoder
from docpipe.parsers.pabdm.vision import Seen, Vision
from docpipe.parsers.pabdm.vocabulary import EOS, Tokens

_ROOM = 128  # places
_SCALE = 0.5  # of fresh tokens and positions


class PaBdm(nn.Module):
    """Fresh weights; those of a folder: see weights. It is a Backbone."""

    def __init__(self, config: PaBdmConfig) -> None:
        super().__init__()
        tokens = Tokens(config.pieces)
        self.config = config
        self.mask_id = tokens.mask
        self.texts = tokens.text
        self.vision = Vision(config, tokens.text)
        self.table = nn.Embedding(tokens.size, config.width)
        self.positions = nn.Embedding(config.longest + 2, config.width)  # the first: before it
        self.decoder = Decoder(config)
        self.head = nn.Linear(config.width, tokens.text, bias=False)
        nn.init.normal_(self.table.weight, std=_SCALE)
        with torch.no_grad():
            self.positions.weight.copy_(_SCALE * sinusoids(*self.positions.weight.shape))
        nn.init.normal_(self.head.weight, std=0.02)  # first scores are near even

    def look(self, pixels: Tensor, prompt: Tensor) -> tuple[Tensor, Seen]:
        """The prefix (B, P, d) of `pixels` (B, 3, height, width) and `prompt` (B, tokens)."""
        seen: Seen = self.vision(pixels.to(self.table.weight.dtype))
        return torch.cat((seen.tokens, self.embed(prompt, torch.full_like(prompt, -1))), 1), seen

    def embed(self, ids: Tensor, index: Tensor) -> Tensor:
        last = self.config.longest + 1
        found: Tensor = self.table(ids) + self.positions((index + 1).clamp(0, last))
        return found

    def states(self, x: Tensor, places: Tensor, allowed: Tensor) -> Tensor:
        found: Tensor = self.decoder(x, places, allowed)
        return found

    def scores(self, states: Tensor) -> Tensor:
        """Logits (…, V) over the tokens of texts: a mask or prompt is never written."""
        found: Tensor = self.head(states)
        return found

    @torch.inference_mode()
    def context(self, pixels: Tensor, prompt: Tensor) -> Stored:
        """To decode what `pixels` say."""
        return Stored(self, self.look(pixels, prompt)[0][:, :-1], prompt[:, -1].tolist())


class Stored:
    """A Context whose keys are stored by position; they grow as they are needed."""

    end_id = EOS

    def __init__(self, model: PaBdm, prefix: Tensor, last: list[int]) -> None:
        self.length, self.last, self.mask_id = prefix.shape[1], last, model.mask_id
        self._model = model
        self._stores = model.decoder.stores(len(prefix), self.length + _ROOM, prefix)
        places = torch.arange(self.length, device=prefix.device).expand(len(prefix), -1)
        self._feed(prefix, places, places + 1)

    def step(self, ids: Tensor, kept: Tensor, seen: Tensor) -> Tensor:
        device = self._stores[0].keys.device
        places = (kept.unsqueeze(1) + torch.arange(ids.shape[1])).to(device)
        x = self._model.embed(ids.to(device), places - self.length - 1)
        return self._model.scores(self._feed(x, places, seen.to(device)))

    def select(self, rows: list[int]) -> None:
        self._stores = [store.select(rows) for store in self._stores]

    def _feed(self, x: Tensor, places: Tensor, seen: Tensor) -> Tensor:
        total = int(places.max()) + 1
        self._stores = [store.with_room(total, _ROOM) for store in self._stores]
        allowed = torch.arange(total, device=x.device) < seen.unsqueeze(2)
        states: Tensor = self._model.decoder(x, places, allowed, self._stores)
        return states
