"""The policy without a language model."""

from __future__ import annotations

from docpipe.agents.mmdocr1.one_pass import OnePassPolicy


class OfflinePolicy(OnePassPolicy):
    """Reads the best pages found for the question."""
