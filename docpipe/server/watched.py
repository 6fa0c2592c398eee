"""A library that tells what an agent does with it, as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from docpipe.records import Chunk, Document, Hit, PageHit, Step, Trajectory
from docpipe.retrieval.chunks import chunk_page
from docpipe.server.shapes import page_list, step
from docpipe.stages import Agent, LibraryView

if TYPE_CHECKING:
    from PIL import Image

Tell = Callable[[dict[str, Any]], None]
_SHOWN = 3


@runtime_checkable
class Stepping(Protocol):
    """An agent whose turns can be taken one by one; `start` gives a state that is `finished` in
    the end."""

    def start(self, question: str, library: LibraryView) -> Any: ...
    def step(self, state: Any) -> Step: ...
    def finish(self, state: Any) -> Trajectory: ...


class WatchedAgent:
    """The agent, with its steps told to `tell` as they are taken. Of an agent that only gives its
    steps in the end, what it does with the library is told instead. `name` gives documents' names,
    also of those that are gone meanwhile: telling must not fail where the agent does not."""

    def __init__(self, agent: Agent, tell: Tell, name: Callable[[str], str]) -> None:
        self._agent = agent
        self._tell = tell
        self._name = name

    def run(self, question: str, library: LibraryView) -> Trajectory:
        agent = self._agent
        if not isinstance(agent, Stepping):
            return agent.run(question, _Watched(library, self._tell, self._name))
        state = agent.start(question, library)
        while not state.finished:
            taken = agent.step(state)
            self._tell(step(taken, self._name))
        return agent.finish(state)


class _Watched:
    def __init__(self, library: LibraryView, tell: Tell, name: Callable[[str], str]) -> None:
        self._library = library
        self._tell = tell
        self._name = name
        self._opened: set[str] = set()

    def documents(self) -> Iterator[str]:
        return self._library.documents()

    def document(self, id: str) -> Document:
        found = self._library.document(id)
        if found.id not in self._opened:
            self._opened.add(found.id)
            self._say("read", found.name)
        return found

    def search(self, query: str, k: int = 10, documents: Sequence[str] | None = None) -> list[Hit]:
        hits = self._library.search(query, k, documents)
        self._found(query, [(hit.chunk.document, chunk_page(hit.chunk)) for hit in hits])
        return hits

    def search_pages(
        self, query: str, k: int = 10, documents: Sequence[str] | None = None
    ) -> list[PageHit]:
        hits = self._library.search_pages(query, k, documents)
        self._found(query, [(hit.document, hit.page) for hit in hits])
        return hits

    def chunk(self, id: str) -> Chunk:
        return self._library.chunk(id)

    def page_image(self, document: str, page: int, dpi: float = 144) -> Image.Image:
        self._say("look", f"{self._name(document)}, {page_list([page])}")
        return self._library.page_image(document, page, dpi)

    def _found(self, query: str, pages: Sequence[tuple[str, int]]) -> None:
        best = list(dict.fromkeys(pages))[:_SHOWN]
        places = [f"{self._name(id)}, page {page}" for id, page in best]
        self._say("search", query, "; ".join(places))

    def _say(self, action: str, text: str, observation: str = "") -> None:
        self._tell({"action": action, "text": text, "thought": "", "observation": observation})
