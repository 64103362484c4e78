"""
Steps of a client, as generators that yield effects. They do no input or output themselves, so that a driver of threads and
one of asyncio run the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

Result = TypeVar('Result')
Yielded = TypeVar('Yielded')


@dataclass(frozen=True)
class Call:
    """One request."""

    method: str
    path: str
    """With its query."""
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    repeatable: bool | Callable[[], bool] = False
    """Whether the same request may be sent again: a read, or a request with a key for as long as that is kept."""
    base: str | None = None
    """The address that the path belongs to; that of the service when omitted."""


@dataclass(frozen=True)
class Reply:
    """An HTTP response; `body` is empty for a stream that has begun."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Send:
    """An effect: a request, whose outcome is a Reply or a NoAnswerError."""

    call: Call
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Sleep:
    """An effect: a wait."""

    seconds: float


@dataclass(frozen=True)
class Work:
    """An effect: work that may wait for a disk."""

    run: Callable[[], None]


Effect: TypeAlias = Send | Sleep | Work
Steps: TypeAlias = Generator[Effect, object, Result]


def sent(call: Call, headers: Mapping[str, str]) -> Steps[Reply]:
    """Sends a request."""
    reply = yield Send(call, headers)
    assert isinstance(reply, Reply)
    return reply


def worked(run: Callable[[], Result]) -> Steps[Result]:
    """Runs what may wait for a disk, and returns its result."""
    results: list[Result] = []
    yield Work(lambda: results.append(run()))
    return results[0]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an effect: an answer, or an error."""

    answer: object = None
    error: BaseException | None = None

    def resume(self, steps: Generator[Yielded, object, object]) -> Yielded:
        """Goes on with steps, and returns their next effect. Raises StopIteration with their result."""
        return steps.send(self.answer) if self.error is None else steps.throw(self.error)
