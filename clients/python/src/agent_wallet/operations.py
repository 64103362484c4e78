"""Operations: each has one key from before its first byte to its end, and is asked for until it ends."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from ._typing import TypedDict
from .errors import ApiError, ExpiredKeyError, NoAnswerError, OpenOperation, OutcomeUnknownError, StillOpenError
from .forgetting import Forgetting, Name
from .steps import Call, Sleep, Steps, worked
from .stores import KeyStore, PendingRequest
from .transport import Answer, Transport

if TYPE_CHECKING:
    from . import _generated as types

_FIRST_POLL = 0.5
_LONGEST_POLL = 5.0
# People take longer than chains.
_LONGEST_APPROVAL_POLL = 15.0
# Age after which a request is not sent again unseen: 24 hours after its end its key counts as new, and would pay again.
_LONGEST_REPEAT = 23 * 3600
# States in history of an operation that goes on, whose key does not expire.
_OPEN_STATES = ('pending', 'awaiting_approval', 'submitted')
_KEY = re.compile(r'[ -~]{1,128}')

# The keys in use by this process, and those whose caller has the result.
_running: set[Name] = set()
_over: set[Name] = set()
_choosing = threading.Lock()


class ResumeOptions(TypedDict, total=False):
    """Options of the wait for an operation."""

    wait: float
    """The seconds to wait for the end: 300 when omitted, approvals of the owner included."""
    on_accepted: Callable[[types.Accepted], None]
    """Called with each answer that the operation is not over: once it was submitted, and while the owner decides."""


class OperationOptions(ResumeOptions, total=False):
    """Options of an operation."""

    key: str
    """Your own idempotency key, 1–128 printable ASCII characters; made here when omitted."""
    on_resume: Callable[[PendingRequest], None]
    """Called when the request goes on with the key of an equal one that was left open."""


class Operations:
    """The steps of operations."""

    def __init__(self, transport: Transport, store: KeyStore, holder: Callable[[], str]) -> None:
        self._transport = transport
        self._store = store
        self._holder = holder
        self._forgetting = Forgetting(self._forget)

    def run(self, path: str, body: str, options: OperationOptions) -> Steps[object]:
        """
        Runs an operation to its end. A request that an earlier process of this agent left open, equal to the byte, goes on
        with its key.

        Raises ApiError when it has failed or began nothing, StillOpenError after `wait`, OutcomeUnknownError when the service
        could not be asked, ExpiredKeyError for a request left open whose key may count as new.
        """
        request = yield from self._requested(path, body, options)
        return (yield from self._finish(request, options))

    def pending(self) -> Steps[Sequence[PendingRequest]]:
        """Returns the requests of this agent whose end was not seen."""
        holder = self._holder()
        over = _over.copy()
        kept = yield from worked(self._store.list)
        return [request for request in kept if request.holder == holder and _name_of(request) not in over]

    def resume(self, request: PendingRequest, options: ResumeOptions) -> Steps[object]:
        """Goes on with a request of `pending` to its end. Raises as `run`."""
        _running.add(_name_of(request))
        return (yield from self._finish(request, options))

    def drop(self, request: PendingRequest) -> Steps[None]:
        """Forgets a request of `pending`."""
        yield from worked(partial(self._store.remove, request.key))
        _running.discard(_name_of(request))

    def forget(self) -> Steps[None]:
        """Forgets the requests whose callers had their results."""
        return worked(self._forgetting.flush)

    def _requested(self, path: str, body: str, options: OperationOptions) -> Steps[PendingRequest]:
        key = options.get('key')
        if key is not None and not _KEY.fullmatch(key):
            raise ValueError('A key has 1 to 128 printable ASCII characters.')
        left: PendingRequest | None = None
        while True:
            kept = yield from self.pending()
            # An operation of this process may have ended, and given its key free, since the list was read.
            if left and left in kept:
                if on_resume := options.get('on_resume'):
                    on_resume(left)
                return left
            sent_at = round(self._transport.options.now(), 3)
            wanted = PendingRequest(key or str(uuid.uuid4()), self._holder(), path, body, sent_at)
            request, left = self._choice(kept, wanted, key)
            if not left:
                yield from worked(partial(self._store.save, request))
                return request

    def _choice(
        self, kept: Sequence[PendingRequest], wanted: PendingRequest, key: str | None
    ) -> tuple[PendingRequest, PendingRequest | None]:
        """Chooses the request to send, and marks its key as used; the second is one that was left open."""
        with _choosing:
            same = [each for each in kept if (each.path, each.body) == (wanted.path, wanted.body)]
            if any(each.key == key for each in kept if each not in same):
                raise ValueError('This key belongs to another request, which is not over.')
            left = next((each for each in same if _name_of(each) not in _running), None) if key is None else None
            named = next((each for each in same if each.key == key), None)
            request = left or named or wanted
            _running.add(_name_of(request))
            return request, left

    def _finish(self, request: PendingRequest, options: ResumeOptions) -> Steps[object]:
        try:
            result = yield from self._poll(request, options)
        except BaseException as error:
            try:
                is_found = isinstance(error, ExpiredKeyError) and error.transaction is not None
                if is_found or (isinstance(error, ApiError) and _is_over(error)):
                    yield from worked(partial(self._store.remove, request.key))
            finally:
                _running.discard(_name_of(request))
            raise
        _over.add(_name_of(request))
        self._forgetting.add(_name_of(request))
        return result

    def _poll(self, request: PendingRequest, options: ResumeOptions) -> Steps[object]:
        """Repeats the request with its key until the answer is its end."""
        ends_at = time.monotonic() + options.get('wait', 300)
        pause = _FIRST_POLL
        now = self._transport.options.now
        open_at = request.sent_at

        def is_recent() -> bool:
            # A clock that was set back says nothing of the age.
            return abs(now() - open_at) <= _LONGEST_REPEAT

        while True:
            if not is_recent():
                read_at = now()
                yield from self._require_open(request)
                open_at = read_at
            answer = yield from self._ask(request, is_recent)
            if answer.status == 200:
                return answer.data
            open_at = now()
            accepted = cast('types.Accepted', answer.data)
            yield from worked(partial(self._keep_name, request, accepted.get('transactionId')))
            if on_accepted := options.get('on_accepted'):
                on_accepted(accepted)
            is_for_owner = accepted['transactionStatus'] == 'awaiting_approval'
            pause = min(pause, _LONGEST_APPROVAL_POLL if is_for_owner else _LONGEST_POLL)
            if time.monotonic() + pause > ends_at:
                raise StillOpenError(OpenOperation(request.key, accepted.get('transactionId')), accepted)
            yield Sleep(pause)
            pause *= 2

    def _keep_name(self, request: PendingRequest, transaction_id: str | None) -> None:
        """Keeps the name of the operation in history with its request: later than a day, only the name finds it."""
        if transaction_id is not None and request.transaction_id is None and request in self._store.list():
            self._store.save(replace(request, transaction_id=transaction_id))

    def _require_open(self, request: PendingRequest) -> Steps[None]:
        """Raises ExpiredKeyError unless history says that the operation goes on, and OutcomeUnknownError."""
        name = request.transaction_id
        operation = OpenOperation(request.key, name)
        found = None if name is None else (yield from self._find(operation, name))
        if not found or found['status'] not in _OPEN_STATES:
            raise ExpiredKeyError(operation, request.sent_at, found)

    def _find(self, operation: OpenOperation, name: str) -> Steps[types.Transaction | None]:
        """Reads an operation in history; None where this token finds none."""
        try:
            call = Call('GET', f'/wallets/me/history/{quote(name, safe="")}', repeatable=True)
            data = (yield from self._transport.request(call)).data
            return cast('Mapping[str, types.Transaction]', data)['transaction']
        except (ApiError, NoAnswerError) as error:
            if isinstance(error, ApiError) and _is_over(error):
                return None
            if isinstance(error, ApiError) and error.status == 401:
                raise
            raise OutcomeUnknownError(operation, str(error)) from error

    def _ask(self, request: PendingRequest, repeatable: Callable[[], bool]) -> Steps[Answer]:
        # The first response of a repeated request, not the one around it.
        headers = {'idempotency-key': request.key, 'prefer': 'return=original'}
        try:
            answer = yield from self._transport.request(Call('POST', request.path, request.body, headers, repeatable))
            if not _is_of_operation(answer):
                raise NoAnswerError(f'HTTP {answer.status} has no state of an operation')
            return answer
        except (ApiError, NoAnswerError) as error:
            if isinstance(error, ApiError) and (_is_over(error) or error.status == 401):
                raise
            raise OutcomeUnknownError(OpenOperation(request.key), str(error)) from error

    def _forget(self, name: Name) -> None:
        _, key = name
        self._store.remove(key)
        _over.discard(name)
        _running.discard(name)


def _name_of(request: PendingRequest) -> Name:
    return request.holder, request.key


def _is_of_operation(answer: Answer) -> bool:
    """Reports whether a success says how an operation stands: its result, or where it waits."""
    content = answer.data
    data = cast('Mapping[str, object]', content) if isinstance(content, dict) else None
    return data is not None and (answer.status == 200 or isinstance(data.get('transactionStatus'), str))


def _is_over(error: ApiError) -> bool:
    """Reports whether a failure says that its request moved nothing and never will: only then its key is forgotten."""
    # A word of tomorrow is not known to say so.
    return error.retry in ('new_key', 'never') or error.transaction_id is not None
