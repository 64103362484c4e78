from __future__ import annotations

import asyncio

import httpx
import pytest

from agent_wallet import AgentWallet, AsyncAgentWallet, NoAnswerError, WalletOptions

from .scripted_service import Reply, ScriptedService, redirect, success, token_of

ELSEWHERE: tuple[Reply, ...] = (redirect('/elsewhere'), success({}))


def test_follows_no_redirect_with_a_client_that_would(service: ScriptedService) -> None:
    service.script(*ELSEWHERE)
    with httpx.Client(follow_redirects=True) as client:
        wallet = AgentWallet(WalletOptions(service.url, retry_for=0), token_of('agent'), client=client)
        with pytest.raises(NoAnswerError):
            wallet.me()
    assert [seen.path for seen in service.seen] == ['/wallets/me']


def test_follows_no_redirect_with_a_client_for_asyncio_that_would(service: ScriptedService) -> None:
    async def ask() -> None:
        async with httpx.AsyncClient(follow_redirects=True) as client:
            wallet = AsyncAgentWallet(WalletOptions(service.url, retry_for=0), token_of('agent'), client=client)
            with pytest.raises(NoAnswerError):
                await wallet.me()

    service.script(*ELSEWHERE)
    asyncio.run(ask())
    assert [seen.path for seen in service.seen] == ['/wallets/me']
