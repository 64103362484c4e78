"""Live changes of a wallet, without gaps."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from .errors import ApiError, NoAnswerError
from .steps import Call, Reply, Send, Sleep
from .transport import Transport, failure_of


@dataclass(frozen=True)
class Change:
    """A change of the wallet: what to read again."""

    sequence: int
    """Place in the chain of the agent's events, without gaps. Give the last one as `after` to go on there."""
    event_id: str
    event_type: str
    """Type of the event: `agentwallet.operation.confirmed.v1`."""
    occurred_at: str | None
    action: str | None
    """Action of the operation that it is about."""
    transaction_id: str | None
    type: Literal['change'] = 'change'


@dataclass(frozen=True)
class Notice:
    """
    News of the stream itself. `ready`: changes follow. `reset`: changes were missed that do not come again, so read again all
    that you show.
    """

    type: Literal['ready', 'reset']


StreamEvent: TypeAlias = Change | Notice


@dataclass(frozen=True)
class Open:
    """An effect: a request for a stream, whose outcome is its beginning as a Reply."""

    send: Send


@dataclass(frozen=True)
class Read:
    """An effect: a wait for the next bytes of the stream, whose outcome is None at its end."""


@dataclass(frozen=True)
class Close:
    """An effect: the end of the stream for the reader."""


StreamEffect: TypeAlias = Open | Read | Close | Sleep | StreamEvent
StreamSteps: TypeAlias = Generator[StreamEffect, object, None]

_RECONNECT = 0.5
_LONGEST_RECONNECT = 15.0
_NOTICES = {'ready': Notice('ready'), 'reset': Notice('reset')}


def follow(transport: Transport, after: int | None) -> StreamSteps:
    """
    Follows the changes of a wallet, and reconnects when a stream is cut. Sequences have no gaps: a change that came before is
    left out, and a gap is asked for again, then reported as `reset`.

    Raises ApiError when the session has ended, and NoAnswerError for a host that was never reached.
    """
    place = _Place(after)
    wait = _RECONNECT
    while True:
        try:
            yield from _opened(transport, place.last)
            messages = _Messages()
            is_whole = True
            while is_whole and (piece := (yield Read())) is not None:
                for message in messages.feed(cast(bytes, piece)):
                    wait = _RECONNECT
                    events, is_whole = place.take(message)
                    yield from events
                    if not is_whole:
                        break
        except (ApiError, NoAnswerError) as error:
            transport.heard(error)
            if not transport.may_pass(error):
                raise
        yield Close()
        yield Sleep(wait)
        wait = min(wait * 2, _LONGEST_RECONNECT)


def _opened(transport: Transport, last: int | None) -> StreamSteps:
    place = {} if last is None else {'last-event-id': str(last)}
    call = Call('GET', '/wallets/me/events', headers={'accept': 'text/event-stream', **place})
    reply = yield Open(Send(call, transport.headers(call)))
    assert isinstance(reply, Reply)
    transport.heard()
    if not 200 <= reply.status < 300:
        raise failure_of(reply)


@dataclass(frozen=True)
class _Message:
    """A message of a stream: a change, or news of the stream with its place in the chain."""

    event: StreamEvent
    sequence: int | None


class _Place:
    """The place of a reader in the chain."""

    def __init__(self, last: int | None) -> None:
        self.last = last
        self._asked_again_at: int | None = None

    def take(self, message: _Message) -> tuple[list[StreamEvent], bool]:
        """Takes a message: returns what it brings to the reader, and whether the stream has no gap before it."""
        if isinstance(message.event, Notice):
            # A new reader's place, or that of one who missed more than is sent again.
            if message.event.type == 'reset' or self.last is None:
                self.last = message.sequence
            return [message.event], True
        sequence, last = message.event.sequence, self.last
        if last is not None and sequence <= last:
            return [], True
        is_gap = last is not None and sequence > last + 1
        if is_gap and self._asked_again_at != last:
            self._asked_again_at = last
            return [], False
        self.last = sequence
        return [Notice('reset'), message.event] if is_gap else [message.event], True


class _Messages:
    """A reader of Server-Sent Events: a line is a field, an empty line ends a message, and a colon begins a comment."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder('utf-8')('replace')
        self._rest = ''
        self._fields: dict[str, str] = {}

    def feed(self, piece: bytes) -> Iterator[_Message]:
        """Takes the next bytes, and returns the messages that they end."""
        *lines, self._rest = re.split(r'\r\n|\n|\r(?!\Z)', self._rest + self._decoder.decode(piece))
        for line in lines:
            if line:
                name, _, text = line.partition(':')
                text = text.removeprefix(' ')
                is_more = name == 'data' and name in self._fields
                self._fields[name] = f'{self._fields[name]}\n{text}' if is_more else text
                continue
            fields, self._fields = self._fields, {}
            if message := _message_of(fields):
                yield message


def _message_of(fields: dict[str, str]) -> _Message | None:
    event, number, data = fields.get('event'), fields.get('id'), fields.get('data')
    if data is None:
        return None
    try:
        sequence = int(number) if number else None
        if notice := _NOTICES.get(event or ''):
            return _Message(notice, sequence)
        return _Message(_change_of(json.loads(data)), sequence) if event == 'change' else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoAnswerError('Something else than the service has sent events') from error


def _change_of(content: dict[str, object]) -> Change:
    return Change(
        sequence=int(cast(int, content['sequence'])),
        event_id=cast(str, content.get('eventId')),
        event_type=cast(str, content.get('type')),
        occurred_at=cast('str | None', content.get('occurredAt')),
        action=cast('str | None', content.get('action')),
        transaction_id=cast('str | None', content.get('transactionId')),
    )
