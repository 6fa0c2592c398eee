"""A fake of what decides an agent's actions."""

from __future__ import annotations

from collections.abc import Sequence

from docpipe.agents.mmdocr1.state import Decision, State
from docpipe.records import Action, Finish, PageRequest, Read, Search


class FakePolicy:
    """Takes the scripted actions in order, then finishes. Without a script it searches for the
    question and reads the first page found."""

    def __init__(self, actions: Sequence[Action] | None = None) -> None:
        self.actions = actions

    def decide(self, state: State) -> Decision:
        turn = len(state.steps)
        if self.actions is not None:
            return Decision(self.actions[turn] if turn < len(self.actions) else Finish("the end"))
        if not state.searches:
            return Decision(Search((state.question,)))
        if not state.read and (found := state.unread()):
            document, page = found[0].key
            return Decision(Read((PageRequest(document, (page,), state.question),)))
        return Decision(Finish("the first page is read"))
