"""Stores of requests whose end was not seen."""

from __future__ import annotations

import json
import os
import threading
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast


@dataclass(frozen=True)
class PendingRequest:
    """A request for an operation whose end was not seen."""

    key: str
    """The idempotency key: the request's name at the service."""
    holder: str
    """The agent, and its scoped token where that asks: a store may serve several."""
    path: str
    body: str
    """The body to the byte."""
    sent_at: float
    """When it was first kept, before it was sent: Unix seconds."""
    transaction_id: str | None = None
    """The operation in history, once the service has named it."""


class KeyStore(Protocol):
    """
    A keeper of requests from before their first byte until their end is known. With a store that survives the process, a
    second run continues what a first one began: the same request gets the same key. Threads may call it.
    """

    def list(self) -> Sequence[PendingRequest]:
        """Returns all requests that are kept."""
        ...

    def save(self, request: PendingRequest) -> None:
        """Keeps a request, and returns once it would survive a crash."""
        ...

    def remove(self, key: str) -> None:
        """Forgets a request, if it is kept."""
        ...


class MemoryStore:
    """A store in memory: for programs that do not resume."""

    def __init__(self) -> None:
        self._requests: dict[str, PendingRequest] = {}

    def list(self) -> Sequence[PendingRequest]:
        """Returns all requests that are kept."""
        return tuple(self._requests.copy().values())

    def save(self, request: PendingRequest) -> None:
        """Keeps a request."""
        self._requests[request.key] = request

    def remove(self, key: str) -> None:
        """Forgets a request."""
        self._requests.pop(key, None)


_ENDING = '.pending.json'
_TEXTS = ('key', 'holder', 'path', 'body')


class FileStore:
    """
    A store in a folder, one file for each request, readable by this user alone: `FileStore('.agent-wallet')`. The SDK for
    TypeScript reads and writes the same files.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def list(self) -> Sequence[PendingRequest]:
        """Returns the requests in the folder, without files that are half written."""
        try:
            names = sorted(name for name in os.listdir(self._folder) if name.endswith(_ENDING))
        except FileNotFoundError:
            return ()
        found = (_read_pending(self._text(name)) for name in names)
        return tuple(request for request in found if request is not None)

    def save(self, request: PendingRequest) -> None:
        """Writes a whole file beside, and renames it once it is on the disk: a crash leaves a request or none."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file_of(request.key)
        draft = file.with_name(f'{file.name}.{os.getpid()}-{threading.get_ident()}.draft')
        fields: dict[str, object] = {name: getattr(request, name) for name in _TEXTS}
        fields['sentAtMs'] = round(request.sent_at * 1000)
        if request.transaction_id is not None:
            fields['transactionId'] = request.transaction_id
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, 'wb') as handle:
            handle.write(json.dumps(fields, ensure_ascii=False, separators=(',', ':')).encode())
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(draft, file)
        _sync_folder(self._folder)

    def remove(self, key: str) -> None:
        """Removes the file of a request."""
        self._file_of(key).unlink(missing_ok=True)

    def _text(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            # Another process has ended the request.
            return b''

    def _file_of(self, key: str) -> Path:
        """Returns the file of a key, which may have any printable character."""
        return self._folder / (urlsafe_b64encode(key.encode()).rstrip(b'=').decode() + _ENDING)


def _read_pending(text: bytes) -> PendingRequest | None:
    """Reads a stored request; None for what is none, such as a file that was half written."""
    try:
        content: object = json.loads(text)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    fields = cast('dict[str, object]', content)
    texts = [field for field in map(fields.get, _TEXTS) if isinstance(field, str)]
    sent_at, transaction_id = fields.get('sentAtMs'), fields.get('transactionId')
    if len(texts) < len(_TEXTS) or not isinstance(sent_at, (int, float)):
        return None
    key, holder, path, body = texts
    name = transaction_id if isinstance(transaction_id, str) else None
    return PendingRequest(key, holder, path, body, sent_at / 1000, name)


def _sync_folder(folder: Path) -> None:
    # Windows opens no folders.
    if os.name == 'nt':
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
