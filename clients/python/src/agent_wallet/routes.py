"""Steps of the routes of the API."""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast
from urllib.parse import quote, urlencode

from .amounts import write_body
from .event_stream import StreamSteps, follow
from .faucet import Poured, faucet_of, pour
from .operations import OperationOptions, Operations, ResumeOptions
from .orders import body_of, split
from .steps import Call, Steps
from .stores import MemoryStore, PendingRequest
from .transport import Transport, WalletOptions

if TYPE_CHECKING:
    from decimal import Decimal

    from . import _generated as types

Entry = TypeVar('Entry')


@dataclass(frozen=True)
class Page(Generic[Entry]):
    """A page of a list, and where the next one begins."""

    entries: Sequence[Entry]
    next_cursor: str | None
    """None on the last page."""


class Routes:
    """The routes of the API for one session."""

    def __init__(self, options: WalletOptions, token: str | None) -> None:
        self.transport = Transport(options, token)
        self.operations = Operations(self.transport, options.store or MemoryStore(), self._holder)

    def run(self, path: str, kind: type, call: Mapping[str, object]) -> Steps[object]:
        """Runs an operation to its end."""
        order, options = split(call)
        return self.operations.run(path, body_of(kind, order), options)

    def act(self, path: str, params: Mapping[str, str], body: str, options: OperationOptions) -> Steps[object]:
        """Runs any operation to its end."""
        return self.operations.run(filled(path, params), body, options)

    def resume(self, request: PendingRequest, options: ResumeOptions) -> Steps[object]:
        """Goes on with a pending request to its end."""
        return self.operations.resume(request, options)

    def dry_run(self, path: str, kind: type, order: Mapping[str, object]) -> Steps[object]:
        """Asks what an operation would come to."""
        return self._data(Call('POST', f'{path}?dryRun=true', body_of(kind, order), repeatable=True))

    def get(self, path: str, params: Mapping[str, str], query: Mapping[str, object]) -> Steps[object]:
        """Reads a route."""
        return self.call('GET', path, params, query)

    def call(
        self, method: str, path: str, params: Mapping[str, str], query: Mapping[str, object], body: str | None = None
    ) -> Steps[object]:
        """Makes a request without a key, which is repeated where it changes nothing."""
        repeatable = method == 'GET' or query.get('dryRun') is True
        return self._data(Call(method, filled(path, params) + _search_of(query), body, repeatable=repeatable))

    def page(self, path: str, query: Mapping[str, object], names: tuple[str, str]) -> Steps[Page[object]]:
        """Reads a page of a list, whose data names its entries and its cursor."""
        entries, cursor = names
        data = cast('Mapping[str, object]', (yield from self.get(path, {}, query)))
        return Page(cast('Sequence[object]', data[entries]), cast('str | None', data[cursor]) or None)

    def send(
        self, method: str, path: str, body: Mapping[str, object] | None = None, headers: Mapping[str, str] | None = None
    ) -> Steps[object]:
        """Sends a change that has no key, once."""
        return self._data(Call(method, path, None if body is None else write_body(body), headers or {}))

    def faucet(self, token: str, amount: str | Decimal) -> Steps[Poured]:
        """Has the sandbox's faucet pay the wallet."""
        service = cast('types.Service', (yield from self.get('/', {}, {})))
        faucet = faucet_of(service)
        wallet = cast('types.Wallet', (yield from self.get('/wallets/me', {}, {})))
        return (yield from pour(faucet, wallet['chainAddress'], token, amount))

    def follow(self, after: int | None) -> StreamSteps:
        """Follows the changes of the wallet."""
        return follow(self.transport, after)

    def _data(self, call: Call) -> Steps[object]:
        return (yield from self.transport.request(call)).data

    def _holder(self) -> str:
        return _holder_of(self.transport.token or '')


def filled(path: str, params: Mapping[str, str]) -> str:
    """Puts parameters into a path. Raises ValueError for one that is missing or would lead elsewhere."""

    def part(found: re.Match[str]) -> str:
        value = params.get(found[1])
        if not isinstance(value, str) or value in ('', '.', '..'):
            raise ValueError(f'{found[1]} is missing in {path}')
        return quote(value, safe='')

    return re.sub(r'\{(\w+)\}', part, path)


def _search_of(query: Mapping[str, object]) -> str:
    # `from` is a keyword of Python: `from_` stands for it.
    texts = {name.rstrip('_'): _query_text(value) for name, value in query.items() if value is not None}
    return f'?{urlencode(texts, errors="replace")}' if texts else ''


def _query_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _holder_of(token: str) -> str:
    """Reads who holds a token: the agent, `sub`, and for a scoped token that one's id, `tid`.

    Keys belong to the holder: a token goes on with no request of another.
    """
    claims = (token.split('.') + [''])[1]
    try:
        content: object = json.loads(urlsafe_b64decode(claims + '=' * (-len(claims) % 4)))
    except (ValueError, binascii.Error):
        content = None
    found = cast('dict[str, object]', content) if isinstance(content, dict) else {}
    subject, scoped = found.get('sub'), found.get('tid')
    if not isinstance(subject, str):
        raise ValueError('This is not a session token.')
    return f'{subject} {scoped}' if isinstance(scoped, str) else subject
