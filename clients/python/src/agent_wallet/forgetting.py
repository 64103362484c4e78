"""Requests that are forgotten once their callers had time to report the result."""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

_DELAY = 1.0

#: An agent, and its key.
Name: TypeAlias = tuple[str, str]


class Forgetting:
    """
    Keys that are forgotten a second after their operation, so that of a process that dies before it could report the result,
    the next one gets the same result, not a second payment.
    """

    def __init__(self, forget: Callable[[Name], None]) -> None:
        self._forget = forget
        # The oldest first, with the moments at which they are due.
        self._due: dict[Name, float] = {}
        self._changing = threading.Lock()
        self._forgetting = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, name: Name) -> None:
        """Forgets a key a second later, or when the program ends well."""
        with self._changing:
            self._due.pop(name, None)
            self._due[name] = time.monotonic() + _DELAY
            # A fork has no threads of its parent.
            if self._thread and self._thread.is_alive():
                return
            atexit.register(self._at_exit)
            self._thread = threading.Thread(target=self._run, name='agent-wallet', daemon=True)
            # A program that ends takes no more threads.
            with suppress(RuntimeError):
                self._thread.start()

    def flush(self, until: float = float('inf')) -> None:
        """Forgets what is due until a moment: all keys when omitted."""
        with self._forgetting:
            while (first := self._first()) and first[1] <= until:
                # It stays, as after a crash: an equal request of a later process gets this result.
                with suppress(Exception):
                    self._forget(first[0])
                with self._changing:
                    self._due.pop(first[0], None)

    def _first(self) -> tuple[Name, float] | None:
        return next(iter(self._due.copy().items()), None)

    def _run(self) -> None:
        while pause := self._pause():
            time.sleep(pause)
            self.flush(time.monotonic())

    def _pause(self) -> float | None:
        """Returns the seconds until the next key is due; None ends the thread."""
        with self._changing:
            if first := self._first():
                return max(first[1] - time.monotonic(), 0.001)
            self._thread = None
            atexit.unregister(self._at_exit)
            return None

    def _at_exit(self) -> None:
        # A program that ends by an error may not have reported its result.
        if getattr(sys, 'last_value', None) is None:
            self.flush()
