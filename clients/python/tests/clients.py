"""Both clients, called in one way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from inspect import isawaitable
from typing import Any, cast

from agent_wallet import (
    AgentWallet,
    AsyncAgentWallet,
    LoggedIn,
    StartedLogin,
    WalletOptions,
    async_log_in,
    log_in,
)


class Blocking:
    """The client for asyncio as one that is called without it."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return self._plain(getattr(self._target, name))

    def __iter__(self) -> Iterator[Any]:
        found = self._target.__aiter__()
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(found.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(found.aclose())

    def _plain(self, value: Any) -> Any:
        if callable(value):
            return lambda *args, **named: self._plain(value(*args, **named))  # pyright: ignore
        if isawaitable(value):
            return self._plain(self._loop.run_until_complete(cast(Any, value)))
        if hasattr(value, '__aiter__') or type(value).__module__.startswith('agent_wallet.aio'):
            return Blocking(value, self._loop)
        return value


class Clients:
    """Makes clients of one kind, and closes them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._loop = asyncio.new_event_loop()
        self._made: list[AgentWallet] = []

    def wallet(self, options: WalletOptions, token: str) -> AgentWallet:
        if self.kind == 'sync':
            wallet = AgentWallet(options, token)
        else:
            wallet = cast(AgentWallet, Blocking(AsyncAgentWallet(options, token), self._loop))
        self._made.append(wallet)
        return wallet

    def log_in(self, options: WalletOptions, email: str, code: str) -> tuple[LoggedIn, list[StartedLogin]]:
        started: list[StartedLogin] = []

        def read(login: StartedLogin) -> str:
            started.append(login)
            return code

        async def read_later(login: StartedLogin) -> str:
            return read(login)

        if self.kind == 'sync':
            done = log_in(options, email, read)
        else:
            done = cast(LoggedIn, Blocking(self._loop.run_until_complete(async_log_in(options, email, read_later)), self._loop))
        self._made.append(done.wallet)
        return done, started

    def close(self) -> None:
        for wallet in self._made:
            wallet.close()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
