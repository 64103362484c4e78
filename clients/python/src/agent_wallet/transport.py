"""Requests, and the repetition of those that may be repeated."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from .errors import ApiError, NoAnswerError
from .steps import Call, Reply, Sleep, Steps, sent
from .stores import KeyStore
from .unreachable import checked_base

if TYPE_CHECKING:
    from . import _generated as types

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 8.0
# Attempts to connect to a host that has never answered: its address is probably wrong.
_MOST_UNREACHABLE = 3


@dataclass(frozen=True)
class WalletOptions:
    """Settings of a client. Times are seconds."""

    base_url: str
    """The address of the service: `https://wallet.example.com`."""
    store: KeyStore | None = None
    """Keeps requests until their end is known; in memory when omitted, so that a crash forgets them."""
    timeout: float = 40
    """The time that one attempt may take. The service answers within 25 seconds."""
    retry_for: float = 60
    """The time after which a request is not repeated again."""
    on_retry: Callable[[ApiError | NoAnswerError, float], None] | None = None
    """Called before each further attempt, with the seconds until then."""
    now: Callable[[], float] = time.time
    """Clock of the age of requests, in Unix seconds."""

    def __post_init__(self) -> None:
        checked_base(self.base_url)


@dataclass(frozen=True)
class StartedLogin:
    """A login whose code is on its way."""

    email: str
    otp_id: str


@dataclass(frozen=True)
class Answer:
    """A success."""

    status: int
    data: object


class Transport:
    """The steps of requests, which are repeated for as long as the service says that it helps."""

    def __init__(self, options: WalletOptions, token: str | None = None) -> None:
        self.options = options
        self.token = token
        """Bearer token; None before a login."""
        # Failures to connect before the first answer; None after it.
        self._unreachable: int | None = 0

    def request(self, call: Call) -> Steps[Answer]:
        """
        Sends a request until it has an answer that another attempt would not change.

        Raises ApiError for a refusal, and NoAnswerError.
        """
        ends_at = time.monotonic() + self.options.retry_for
        pause = _FIRST_PAUSE
        while True:
            try:
                reply = yield from sent(call, self.headers(call))
                self.heard()
                return answer_of(reply)
            except (ApiError, NoAnswerError) as error:
                failure = error
                self.heard(failure)
            if not _may_repeat(call) or not self.may_pass(failure):
                raise failure
            named = failure.retry_after if isinstance(failure, ApiError) else None
            # Not all clients at the same moment.
            wait = max(pause * random.uniform(0.5, 1), named or 0)
            if time.monotonic() + wait > ends_at:
                raise failure
            if self.options.on_retry:
                self.options.on_retry(failure, wait)
            yield Sleep(wait)
            if not _may_repeat(call):
                raise failure
            pause = min(pause * 2, _LONGEST_PAUSE)

    def heard(self, failure: ApiError | NoAnswerError | None = None) -> None:
        """Counts how often no connection could be made, up to the first answer."""
        if not isinstance(failure, NoAnswerError) or not failure.is_unreachable:
            # A host that cuts a connection is there.
            self._unreachable = None
        elif self._unreachable is not None:
            self._unreachable += 1

    def may_pass(self, error: ApiError | NoAnswerError) -> bool:
        """Reports whether another attempt of the same request may end otherwise."""
        if isinstance(error, NoAnswerError):
            return not error.is_unreachable or self._unreachable is None or self._unreachable < _MOST_UNREACHABLE
        # After a 401 the caller must log in first. A failure that names its operation is its end.
        return error.retry == 'same_key' and error.status != 401 and error.transaction_id is None

    def headers(self, call: Call) -> Mapping[str, str]:
        """Returns the headers of a request. Raises ValueError for a path that would be a part of the host's name."""
        if not call.path.startswith('/'):
            raise ValueError(f'A path begins with /, not as {call.path!r} does.')
        headers = {'accept': 'application/json', **call.headers}
        if self.token is not None:
            headers['authorization'] = f'Bearer {self.token}'
        if call.body is not None:
            headers['content-type'] = 'application/json'
        return headers


def _may_repeat(call: Call) -> bool:
    return call.repeatable() if callable(call.repeatable) else call.repeatable


def answer_of(reply: Reply) -> Answer:
    """Returns the success that a response is. Raises the failure that it is otherwise."""
    body = _parsed(reply.body)
    if 200 <= reply.status < 300 and body is not None and body['status'] is True:
        return Answer(reply.status, body['data'])
    raise failure_of(reply)


def _parsed(text: bytes) -> Mapping[str, object] | None:
    """Reads the envelope of an answer; None for anything else."""
    try:
        content: object = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    body = cast('dict[str, object]', content)
    is_envelope = isinstance(body.get('status'), bool) and isinstance(body.get('message'), str) and 'data' in body
    return body if is_envelope else None


def failure_of(reply: Reply) -> ApiError | NoAnswerError:
    """Returns a failure by its envelope; without one, something between here and the service has answered."""
    body = _parsed(reply.body)
    data = cast('Mapping[str, object] | None', body['data']) if body and isinstance(body['data'], dict) else None
    is_failure = body and not body['status'] and data and all(isinstance(data.get(name), str) for name in ('code', 'retry'))
    if not body or not is_failure:
        return NoAnswerError(f'HTTP {reply.status} came from something else than the service')
    message = cast(str, body['message'])
    return ApiError(message, reply.status, cast('types.OtherError', data), _seconds(reply.headers.get('retry-after')))


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or 'nan')
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
