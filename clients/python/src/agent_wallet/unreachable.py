"""Failures to get an answer, in words."""

from __future__ import annotations

import errno
import socket
from urllib.parse import urlsplit

from .errors import NoAnswerError


def checked_base(base_url: str) -> None:
    """Raises ValueError for anything but an address of HTTP."""
    if not base_url.startswith(('http://', 'https://')) or not urlsplit(base_url).hostname:
        raise ValueError(f'base_url must begin with https:// or http://, not {base_url!r}.')


def no_answer(request: str, base_url: str, cause: BaseException, *, is_connect: bool) -> NoAnswerError:
    """Returns the failure of a request that was not answered, with its host and its cause."""
    root = _root_of(cause)
    is_reset = isinstance(root, ConnectionResetError)
    message = f'{request} got no answer from {urlsplit(base_url).netloc}: {_words_of(root)}'
    return NoAnswerError(message, is_unreachable=is_connect and not is_reset)


def _root_of(error: BaseException) -> BaseException:
    """Returns the innermost cause; of several addresses of one host, that of the first."""
    # httpcore raises again without the cause.
    inner: object = getattr(error, 'exceptions', (error.__cause__ or error.__context__,))[0]
    return _root_of(inner) if isinstance(inner, BaseException) else error


def _words_of(root: BaseException) -> str:
    if isinstance(root, ConnectionRefusedError):
        return 'connection refused'
    if isinstance(root, socket.gaierror):
        return 'host not found'
    if isinstance(root, OSError) and root.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH):
        return 'no route to host'
    if 'ConnectTimeout' in type(root).__name__:
        return 'connection timed out'
    return str(root) or type(root).__name__
