"""The driver of steps for asyncio and trio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, TypeVar, cast

from ..errors import NoAnswerError
from ..event_stream import Change, Close, Notice, Open, StreamEffect, StreamEvent, StreamSteps
from ..steps import Effect, Outcome, Reply, Send, Sleep, Steps
from ..transport import WalletOptions
from ..unreachable import no_answer

if TYPE_CHECKING:
    import httpx

Result = TypeVar('Result')


class AsyncDriver:
    """The input and output of steps, on a client of httpx."""

    def __init__(self, options: WalletOptions, client: httpx.AsyncClient | None) -> None:
        # Slow to import, so not before it is used.
        import anyio
        import anyio.to_thread
        import httpx

        self.anyio = anyio
        self._httpx = httpx
        self._base_url = options.base_url.rstrip('/')
        self._timeout = options.timeout
        self._owned = None if client else httpx.AsyncClient()
        self._client = client or cast('httpx.AsyncClient', self._owned)

    async def run(self, steps: Steps[Result]) -> Result:
        """Runs steps to their result."""
        outcome = Outcome()
        while True:
            try:
                effect = outcome.resume(steps)
            except StopIteration as end:
                return cast(Result, end.value)
            try:
                outcome = Outcome(await self._done(effect))
            except BaseException as error:
                outcome = Outcome(error=error)

    async def events(self, steps: StreamSteps) -> AsyncIterator[StreamEvent]:
        """Runs the steps of a stream, and returns its events as they come."""
        outcome = Outcome()
        async with AsyncExitStack() as ending:
            ending.callback(steps.close)
            stream = _Stream(self)
            ending.push_async_callback(stream.close)
            while True:
                effect = outcome.resume(steps)
                if isinstance(effect, (Change, Notice)):
                    yield effect
                    outcome = Outcome()
                    continue
                try:
                    outcome = Outcome(await stream.done(effect))
                except BaseException as error:
                    outcome = Outcome(error=error)

    async def close(self) -> None:
        """Closes the connections."""
        if self._owned:
            await self._owned.aclose()

    async def begin(self, send: Send) -> httpx.Response:
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
            return await self._client.send(request, stream=True, follow_redirects=False)
        except self._httpx.HTTPError as error:
            is_connect = isinstance(error, (self._httpx.ConnectError, self._httpx.ConnectTimeout))
            raise no_answer(f'{call.method} {call.path}', base, error, is_connect=is_connect) from error

    async def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """Returns the bytes of a response as they come."""
        try:
            async for piece in response.aiter_bytes():
                yield piece
        except (self._httpx.HTTPError, self._httpx.StreamError) as error:
            raise NoAnswerError('The answer broke off') from error

    async def read(self, response: httpx.Response) -> Reply:
        """Reads a response to its end, and closes it."""
        try:
            body = b''.join([piece async for piece in self.pieces(response)])
        finally:
            await response.aclose()
        return Reply(response.status_code, response.headers, body)

    async def _done(self, effect: Effect) -> Reply | None:
        if isinstance(effect, Send):
            try:
                with self.anyio.fail_after(self._timeout):
                    return await self.read(await self.begin(effect))
            except TimeoutError as error:
                raise NoAnswerError(f'{effect.call.method} {effect.call.path} took too long') from error
        if isinstance(effect, Sleep):
            await self.anyio.sleep(effect.seconds)
        else:
            # A cancelled task waits until the store has written.
            await self.anyio.to_thread.run_sync(effect.run)
        return None


class _Stream:
    """A stream that is open, or none."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver
        self._response: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None

    async def done(self, effect: StreamEffect) -> Reply | bytes | None:
        """Does what an effect of a stream says."""
        if isinstance(effect, Open):
            response = self._response = await self._driver.begin(effect.send)
            self._pieces = self._driver.pieces(response)
            return Reply(200, {}, b'') if response.is_success else await self._driver.read(response)
        if isinstance(effect, Close):
            await self.close()
        elif isinstance(effect, Sleep):
            await self._driver.anyio.sleep(effect.seconds)
        elif self._pieces:
            try:
                return await self._pieces.__anext__()
            except StopAsyncIteration:
                return None
        return None

    async def close(self) -> None:
        """Closes the stream."""
        if self._response:
            await self._response.aclose()
        self._response = None
