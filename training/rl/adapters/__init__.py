"""docpipe's environment and estimators inside other trainers.

    trl     a class for `environment_factory`, and rows for its data set
    verl    an agent loop
    skyrl   a text environment
    rllm    an agent flow, and estimators that see trajectories
    tokens  estimators for verl and SkyRL, which hand over rewards alone

Nothing here is needed for docpipe's own trainer, and no framework is imported before it is asked
for. Questions travel through a framework's data set as JSON, in a column or key called GOLD.
"""

from __future__ import annotations

import importlib
from typing import Any

from docpipe import codec
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.errors import ConfigError

GOLD = "gold"


def framework(module: str) -> Any:
    """A module of another trainer. Raises ConfigError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ConfigError(
            f"{module} cannot be imported: {error}", hint=f"install {package}, as its pages say"
        ) from error


def packed(question: GoldQuestion) -> str:
    return codec.encode(question).decode()


def unpacked(text: str) -> GoldQuestion:
    """Raises SchemaError for what `packed` has not made."""
    return codec.decode(text, GoldQuestion)
