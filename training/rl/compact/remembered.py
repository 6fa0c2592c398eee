"""An environment that remembers what was searched for, and a reader that says nothing: a rollout of
the compact policy is then a matter of milliseconds.

    [env]
    reader = "docpipe.training.rl.compact.remembered:SilentReader"    # where recall alone counts
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import Any

from docpipe.agents.mmdocr1.state import State
from docpipe.agents.tools import Found, Tools
from docpipe.datasets.questions.record import GoldQuestion
from docpipe.records import Answer, Reading
from docpipe.stages import LibraryView, PageContent
from docpipe.training.rl.env import DocEnv, EnvSettings
from docpipe.training.rl.rewards import RewardSettings

_SILENT = Answer("", None, "none", False, (), 0.0, reason="not_found")


class RememberedTools(Tools):
    """The tools over a library, whose searches are kept."""

    def __init__(self, library: LibraryView, found: dict[Hashable, Found], *, depth: int) -> None:
        super().__init__(library, depth=depth)
        self._kept = found

    def search(self, queries: Sequence[str], documents: Sequence[str] = ()) -> list[Found]:
        scope = (tuple(documents), tuple(self.documents()))
        for query in queries:
            if (query, scope) not in self._kept:
                (self._kept[query, scope],) = super().search([query], documents)
        return [self._kept[query, scope] for query in queries]


class RememberedEnv(DocEnv):
    """A DocEnv that searches once for each query, and keeps documents. `twin` is another run's
    environment that shares what is kept."""

    def __init__(
        self,
        library: LibraryView,
        settings: EnvSettings | None = None,
        rewards: RewardSettings | None = None,
    ) -> None:
        super().__init__(_Kept(library), settings, rewards)
        self.found: dict[Hashable, Found] = {}

    def twin(self) -> RememberedEnv:
        made = RememberedEnv(self.library, self.settings, self.rewards)
        made.library, made.found = self.library, self.found
        return made

    def reset(self, question: GoldQuestion) -> State:
        state = super().reset(question)
        state.tools = RememberedTools(state.tools.library, self.found, depth=self.settings.depth)
        return state


class _Kept:
    """A LibraryView that keeps every document it has given."""

    def __init__(self, library: LibraryView) -> None:
        self._library = library
        self.document = functools.cache(library.document)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


class SilentReader:
    """Reads pages and finds nothing, for rewards of which pages are read alone."""

    checks_numbers = True

    def read(self, pages: Sequence[PageContent], question: str, sub_question: str) -> Reading:
        return Reading(tuple(content.page.number for content in pages), "", answer=_SILENT)
