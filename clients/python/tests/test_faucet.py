from __future__ import annotations

import json

import pytest

from agent_wallet import AgentWallet, FaucetError, NoAnswerError, WalletOptions

from .clients import Clients
from .scripted_service import Reply, ScriptedService, plain, success, token_of


@pytest.fixture
def wallet(service: ScriptedService, clients: Clients) -> AgentWallet:
    return clients.wallet(WalletOptions(service.url), token_of('agent'))


def script(service: ScriptedService, *answers: Reply) -> None:
    sandbox = success({'network': 'sandbox', 'faucet': f'{service.url}/faucet'})
    service.script(sandbox, success({'chainAddress': 'WALLET'}), *answers)


def test_pays_the_wallet_and_keeps_the_token_from_the_faucet(service: ScriptedService, wallet: AgentWallet) -> None:
    script(service, plain(200, {'signature': 'S'}))
    assert wallet.faucet(token='USDC', amount='0.10') == {'signature': 'S'}
    poured = service.seen[-1]
    assert (poured.method, poured.path) == ('POST', '/faucet')
    assert json.loads(poured.body) == {'address': 'WALLET', 'token': 'USDC', 'amount': '0.10'}
    assert 'authorization' not in poured.headers


@pytest.mark.parametrize(('network', 'words'), [('mainnet-beta', 'on mainnet-beta'), ('sandbox', 'SANDBOX_ADMIN_URL')])
def test_is_refused_without_a_faucet(service: ScriptedService, wallet: AgentWallet, network: str, words: str) -> None:
    service.script(success({'network': network, 'faucet': None}))
    with pytest.raises(FaucetError, match=words):
        wallet.faucet(token='SOL', amount='1')
    assert [seen.path for seen in service.seen] == ['/']


def test_says_why_the_faucet_refuses(service: ScriptedService, wallet: AgentWallet) -> None:
    script(service, plain(400, {'error': 'unknown token NONE'}))
    with pytest.raises(FaucetError, match='refused: unknown token NONE'):
        wallet.faucet(token='NONE', amount='1')


def test_rejects_an_inexact_amount_before_the_faucet_is_asked(service: ScriptedService, wallet: AgentWallet) -> None:
    script(service, plain(200, {'signature': 'S'}))
    with pytest.raises(TypeError, match='amount must be decimal text'):
        wallet.faucet(token='SOL', amount=1.5)  # type: ignore[arg-type]
    assert '/faucet' not in [seen.path for seen in service.seen]


def test_names_a_faucet_that_cannot_be_reached(service: ScriptedService, wallet: AgentWallet) -> None:
    nowhere = success({'network': 'sandbox', 'faucet': 'http://127.0.0.1:1/faucet'})
    service.script(nowhere, success({'chainAddress': 'WALLET'}))
    with pytest.raises(NoAnswerError, match='POST /faucet got no answer from 127.0.0.1:1'):
        wallet.faucet(token='SOL', amount='1')
