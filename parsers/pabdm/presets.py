"""The models that docpipe knows by name."""

from __future__ import annotations

from docpipe.parsers.docfusion.presets import PIECES
from docpipe.parsers.docfusion.presets import tiny as docfusion_tiny
from docpipe.parsers.pabdm.config import PaBdmConfig


def tiny() -> PaBdmConfig:
    """A model that learns on one CPU thread [D]. The vision tower, the crops and the tokens of text
    are those of DocFusion's `tiny`, so that it can begin with what that has learnt to see."""
    return PaBdmConfig(vision=docfusion_tiny().vision, pieces=PIECES, ctc_frames=2)


PRESETS = {"tiny": tiny}
