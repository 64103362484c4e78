"""Lists that are read page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from ..routes import Page

Entry = TypeVar('Entry')


class Pages(Generic[Entry]):
    """A list that is read page by page: `for entry in pages` reads on as far as it is iterated."""

    def __init__(self, read: Callable[[str | None], Page[Entry]]) -> None:
        self._read = read

    def page(self, cursor: str | None = None) -> Page[Entry]:
        """Reads one page; the first without a cursor."""
        return self._read(cursor)

    def __iter__(self) -> Iterator[Entry]:
        cursor: str | None = None
        while True:
            page = self._read(cursor)
            for entry in page.entries:
                yield entry
            cursor = page.next_cursor
            if cursor is None:
                return

    def all(self, most: int | None = None) -> list[Entry]:
        """Reads all pages, or the first entries."""
        found: list[Entry] = []
        if most == 0:
            return found
        for entry in self:
            found.append(entry)
            if len(found) == most:
                break
        return found
