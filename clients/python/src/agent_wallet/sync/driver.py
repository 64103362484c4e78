"""The driver of steps for threads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar, cast

from ..errors import NoAnswerError
from ..event_stream import Change, Close, Notice, Open, StreamEffect, StreamEvent, StreamSteps
from ..steps import Effect, Outcome, Reply, Send, Sleep, Steps
from ..transport import WalletOptions
from ..unreachable import no_answer

if TYPE_CHECKING:
    import httpx

Result = TypeVar('Result')


class Driver:
    """The input and output of steps, on a client of httpx."""

    def __init__(self, options: WalletOptions, client: httpx.Client | None) -> None:
        # Slow to import, so not before it is used.
        import httpx

        self._httpx = httpx
        self._base_url = options.base_url.rstrip('/')
        self._timeout = options.timeout
        self._owned = None if client else httpx.Client()
        self._client = client or cast('httpx.Client', self._owned)

    def run(self, steps: Steps[Result]) -> Result:
        """Runs steps to their result."""
        outcome = Outcome()
        while True:
            try:
                effect = outcome.resume(steps)
            except StopIteration as end:
                return cast(Result, end.value)
            try:
                outcome = Outcome(self._done(effect))
            except BaseException as error:
                outcome = Outcome(error=error)

    def events(self, steps: StreamSteps) -> Iterator[StreamEvent]:
        """Runs the steps of a stream, and returns its events as they come."""
        outcome = Outcome()
        with ExitStack() as ending:
            ending.callback(steps.close)
            stream = _Stream(self)
            ending.callback(stream.close)
            while True:
                effect = outcome.resume(steps)
                if isinstance(effect, (Change, Notice)):
                    yield effect
                    outcome = Outcome()
                    continue
                try:
                    outcome = Outcome(stream.done(effect))
                except BaseException as error:
                    outcome = Outcome(error=error)

    def close(self) -> None:
        """Closes the connections."""
        if self._owned:
            self._owned.close()

    def begin(self, send: Send) -> httpx.Response:
        """Sends a request, and returns its response once its headers have come."""
        call = send.call
        base = self._base_url if call.base is None else call.base
        try:
            request = self._client.build_request(
                call.method,
                base + call.path,
                headers=dict(send.headers),
                content=None if call.body is None else call.body.encode(),
                timeout=self._timeout,
            )
            return self._client.send(request, stream=True, follow_redirects=False)
        except self._httpx.HTTPError as error:
            is_connect = isinstance(error, (self._httpx.ConnectError, self._httpx.ConnectTimeout))
            raise no_answer(f'{call.method} {call.path}', base, error, is_connect=is_connect) from error

    def pieces(self, response: httpx.Response) -> Iterator[bytes]:
        """Returns the bytes of a response as they come."""
        try:
            yield from response.iter_bytes()
        except (self._httpx.HTTPError, self._httpx.StreamError) as error:
            raise NoAnswerError('The answer broke off') from error

    def read(self, response: httpx.Response) -> Reply:
        """Reads a response to its end, and closes it."""
        ends_at = time.monotonic() + self._timeout
        body = bytearray()
        try:
            for piece in self.pieces(response):
                body += piece
                if time.monotonic() > ends_at:
                    raise NoAnswerError('The answer took too long')
        finally:
            response.close()
        return Reply(response.status_code, response.headers, bytes(body))

    def _done(self, effect: Effect) -> Reply | None:
        if isinstance(effect, Send):
            return self.read(self.begin(effect))
        if isinstance(effect, Sleep):
            time.sleep(effect.seconds)
        else:
            effect.run()
        return None


class _Stream:
    """A stream that is open, or none."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._response: httpx.Response | None = None
        self._pieces: Iterator[bytes] = iter(())

    def done(self, effect: StreamEffect) -> Reply | bytes | None:
        """Does what an effect of a stream says."""
        if isinstance(effect, Open):
            response = self._response = self._driver.begin(effect.send)
            self._pieces = self._driver.pieces(response)
            return Reply(200, {}, b'') if response.is_success else self._driver.read(response)
        if isinstance(effect, Close):
            self.close()
        elif isinstance(effect, Sleep):
            time.sleep(effect.seconds)
        else:
            return next(self._pieces, None)
        return None

    def close(self) -> None:
        """Closes the stream."""
        if self._response:
            self._response.close()
        self._response = None
