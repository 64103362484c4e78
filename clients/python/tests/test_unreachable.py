from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from agent_wallet import NoAnswerError, OutcomeUnknownError, WalletOptions

from .clients import Clients
from .scripted_service import ScriptedService, token_of


@pytest.mark.parametrize('base_url', ['127.0.0.1:26080', 'localhost:8080', 'wallet.example.com', '', 'http://'])
def test_takes_no_base_url_but_an_address_of_http(base_url: str) -> None:
    with pytest.raises(ValueError, match='base_url must begin with https:// or http://, not'):
        WalletOptions(base_url)


def test_names_a_host_that_was_never_reached_after_three_attempts(clients: Clients) -> None:
    closed = ScriptedService()
    closed.stop()
    waits: list[float] = []
    options = WalletOptions(closed.url, on_retry=lambda _, wait: waits.append(wait))
    wallet = clients.wallet(options, token_of('agent'))
    with pytest.raises(NoAnswerError) as thrown:
        wallet.balances()
    host = urlsplit(closed.url).netloc
    assert str(thrown.value) == f'GET /wallets/me/balances got no answer from {host}: connection refused'
    assert (thrown.value.is_unreachable, len(waits)) == (True, 2)
    with pytest.raises(OutcomeUnknownError, match='not known yet: POST .* connection refused. Resume'):
        wallet.transfer(to='a', amount='1')
    with pytest.raises(NoAnswerError, match='connection refused'):
        next(iter(wallet.events()))
    assert len(waits) == 2
