"""How a run so far is shown to a language model: as steps in one prompt, or as a growing chat.

The paper's agent is prompted anew each turn with the steps already taken; chat models are often
trained on growing chats. In both, what tools gave stands between marks that no document can close.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from docpipe.agents.mmdocr1.grammar import render
from docpipe.agents.prompts import fenced
from docpipe.records import Message, Read, Step, TextPart

Rendering = Literal["steps", "chat"]

_NONE_YET = "None yet."


def messages(
    system: str, task: str, steps: Sequence[Step], documents: Sequence[str], rendering: Rendering
) -> tuple[Message, ...]:
    """The prompt for the next turn; `task` holds the question, the outline and the plan."""
    opening = message("system", system)
    if rendering == "steps":
        taken = "\n\n".join(
            f"Step {number}\n{_turn(step, documents)}\n{_observation(step)}"
            for number, step in enumerate(steps, 1)
        )
        return opening, message("user", f"{task}\n\nSteps already taken:\n{taken or _NONE_YET}")
    turns = [
        part
        for step in steps
        for part in (
            message("assistant", _turn(step, documents)),
            message("user", _observation(step)),
        )
    ]
    return (opening, message("user", task), *turns)


def message(role: Literal["system", "user", "assistant"], text: str) -> Message:
    return Message(role, (TextPart(text),))


def _turn(step: Step, documents: Sequence[str]) -> str:
    """A turn as the model wrote it; of one that was no action only so much that it learns."""
    thought = f"<think>\n{step.thought}\n</think>\n" if step.thought else ""
    return step.response or f"{thought}{render(step.action, documents)}"


def _observation(step: Step) -> str:
    name = "read_results" if isinstance(step.action, Read) else "results"
    return fenced(name, step.observation)
