from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from agent_wallet import AgentWallet, AsyncAgentWallet, KeyStore, MemoryStore, WalletOptions
from agent_wallet.tools import ToolOptions, wallet_tools

from .clients import Clients
from .scripted_service import ScriptedService, cut, failure, raw, success, token_of

PAYMENT = {'to': 'a', 'amount': '0.1234567890123456789', 'mint': 'USDC'}

Answer = Callable[..., Any]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture(params=['sync', 'async'])
def text_of(request: pytest.FixtureRequest, service: ScriptedService, store: KeyStore) -> Callable[..., str]:
    """Calls a tool of a wallet, and returns its text."""
    options = WalletOptions(service.url, store=store, timeout=0.3, retry_for=0)

    def call(name: str, given: object, settings: ToolOptions) -> str:
        with AgentWallet(options, token_of('agent')) as wallet:
            return next(tool for tool in wallet_tools(wallet, **settings) if tool.name == name).run(given)

    async def call_async(name: str, given: object, settings: ToolOptions) -> str:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            return await next(tool for tool in wallet_tools(wallet, **settings) if tool.name == name).run(given)

    def answer(name: str, given: object, **settings: Any) -> str:
        if request.param == 'sync':
            return call(name, given, ToolOptions(**settings))
        return asyncio.run(call_async(name, given, ToolOptions(**settings)))

    return answer


@pytest.fixture
def answer_of(text_of: Callable[..., str]) -> Answer:
    return lambda *args, **settings: json.loads(text_of(*args, **settings))


def test_reads_with_its_input_in_path_and_query(service: ScriptedService, answer_of: Answer) -> None:
    service.script(success({'transactions': [], 'nextCursor': None}))
    given = {'limit': 5.0, 'action': 'trade', 'cursor': None}
    assert answer_of('list_transactions', given) == {'transactions': [], 'nextCursor': None}
    answer_of('get_token', {'query': 'a/b?'})
    answer_of('get_wallet', None)
    assert [(seen.method, seen.path) for seen in service.seen] == [
        ('GET', '/wallets/me/history?limit=5&action=trade'),
        ('GET', '/tokens/a%2Fb%3F'),
        ('GET', '/wallets/me'),
    ]


def test_gives_numbers_and_letters_to_the_model_as_they_came(service: ScriptedService, text_of: Callable[..., str]) -> None:
    service.script(raw(r'{"totalUsdValue":0.30000000000000000001,"name":"é\ud800"}'))
    assert text_of('get_balances', {}) == r'{"totalUsdValue":0.30000000000000000001,"name":"é\ud800"}'


def test_pays_with_each_digit_of_an_amount_and_one_key(service: ScriptedService, answer_of: Answer) -> None:
    service.script(success({'transactionStatus': 'submitted', 'transactionId': 't'}, 202), success({'signature': 's'}))
    assert answer_of('transfer', PAYMENT) == {'signature': 's'}
    assert [seen.path for seen in service.seen] == ['/wallets/me/actions/transfer'] * 2
    assert service.seen[0].body == '{"to":"a","amount":0.1234567890123456789,"mint":"USDC"}'
    assert len(service.keys()) == 1


def test_sends_other_numbers_as_the_model_wrote_them(service: ScriptedService, answer_of: Answer) -> None:
    service.script(success({}))
    given = {'from': 'SOL', 'to': 'é', 'amount': '1', 'slippageBps': 50.0, 'maxPriceImpactPercent': 0.1}
    answer_of('trade', given)
    answer_of('propose_policy_change', {'changes': {'limits': [0.1, None]}})
    assert [seen.body for seen in service.seen] == [
        '{"from":"SOL","to":"é","amount":1,"slippageBps":50,"maxPriceImpactPercent":0.1}',
        '{"changes":{"limits":[0.1,null]}}',
    ]
    assert 'idempotency-key' not in service.seen[1].headers


def test_shows_what_a_payment_would_come_to_without_a_key(service: ScriptedService, answer_of: Answer) -> None:
    service.script(success({'status': 'dry_run'}))
    assert answer_of('transfer', {**PAYMENT, 'dryRun': True}) == {'status': 'dry_run'}
    assert service.seen[0].path == '/wallets/me/actions/transfer?dryRun=true'
    assert 'idempotency-key' not in service.seen[0].headers


def test_says_why_the_service_refuses(service: ScriptedService, answer_of: Answer) -> None:
    service.script(failure(403, 'POLICY_VIOLATION', 'new_key'))
    error = answer_of('transfer', PAYMENT)['error']
    assert (error['code'], error['retry'], error['message']) == ('POLICY_VIOLATION', 'new_key', 'POLICY_VIOLATION.')


@pytest.mark.parametrize(
    ('name', 'given', 'message'),
    [
        pytest.param('transfer', 'all of it', 'must be an object', id='no object'),
        pytest.param('transfer', [], 'must be an object', id='a list'),
        pytest.param('transfer', {**PAYMENT, 'amountRaw': '1'}, 'no field amountRaw', id='an unknown field'),
        pytest.param('transfer', {'to': 'a'}, 'amount is required', id='a missing field'),
        pytest.param('transfer', {'to': 'a', 'amount': None}, 'amount is required', id='a field that is None'),
        pytest.param('transfer', {**PAYMENT, 'amount': 1.5}, "write '1.5'", id='a number as amount'),
        pytest.param('transfer', {**PAYMENT, 'amount': '1,"to":"b"'}, 'decimal text', id='an amount that is more than text'),
        pytest.param('transfer', {**PAYMENT, 'dryRun': 'true'}, 'true or false', id='a dry run in words'),
        pytest.param('remove_liquidity', {'positionId': 'p', 'percent': float('inf')}, 'JSON', id='a number without end'),
        pytest.param('get_transaction', {'transactionId': '..'}, 'transactionId', id='a way out of its path'),
        pytest.param('get_market', {'ticker': ''}, 'ticker', id='an empty part of its path'),
        pytest.param('get_market', {'ticker': 5}, 'ticker', id='a number in its path'),
    ],
)
def test_sends_nothing_that_is_wrong_and_says_so(
    service: ScriptedService, answer_of: Answer, name: str, given: object, message: str
) -> None:
    service.script(success({}))
    error = answer_of(name, given)['error']
    assert error == {'code': 'VALIDATION_ERROR', 'message': error['message']}
    assert message in error['message']
    assert service.seen == []


def test_continues_an_equal_payment_whose_outcome_is_not_known(
    service: ScriptedService, answer_of: Answer, store: MemoryStore
) -> None:
    service.script(cut)
    unknown = answer_of('transfer', PAYMENT)
    assert unknown == {'key': store.list()[0].key, 'next': unknown['next']}
    service.script(success({'signature': 's'}))
    assert answer_of('transfer', PAYMENT) == {'signature': 's'}
    assert service.keys() == [unknown['key']]


def test_does_not_wait_for_the_owner_longer_than_it_may(service: ScriptedService, answer_of: Answer) -> None:
    accepted = {'transactionStatus': 'awaiting_approval', 'transactionId': 't', 'approvalUrl': 'https://o/1'}
    service.script(success(accepted, 202))
    answer = answer_of('transfer', PAYMENT, wait_s=0)
    assert answer == {**accepted, 'next': answer['next']}
    assert len(service.seen) == 1


def test_says_that_a_read_got_no_answer(service: ScriptedService, answer_of: Answer) -> None:
    service.script(cut)
    assert answer_of('get_wallet', {})['error']['code'] == 'NO_ANSWER'


@pytest.mark.parametrize('part', ['', '.', '..'])
def test_fills_no_path_that_would_lead_elsewhere(service: ScriptedService, clients: Clients, part: str) -> None:
    wallet = clients.wallet(WalletOptions(service.url), token_of('agent'))
    service.script(success({}))
    for call in (wallet.transaction, wallet.liquidity.pool, wallet.approvals.withdraw, wallet.sessions.end):
        with pytest.raises(ValueError, match='is missing'):
            call(part)
    assert service.seen == []


def names(**options: Any) -> list[str]:
    with AgentWallet(WalletOptions('http://service'), token_of('agent')) as wallet:
        return [tool.name for tool in wallet_tools(wallet, **options)]


def test_gives_the_tools_that_were_asked_for() -> None:
    assert names(only=['trade', 'get_wallet']) == ['get_wallet', 'trade']
    assert names(only=['trade', 'get_wallet'], read_only=True) == ['get_wallet']
    assert names(only=[]) == []
    with pytest.raises(ValueError, match='pay_all'):
        names(only=['pay_all'])


def test_moves_no_money_where_that_is_asked_for() -> None:
    assert [name for name in names() if name not in names(read_only=True)] == [
        *('transfer', 'unwrap_sol', 'trade', 'add_liquidity', 'remove_liquidity'),
        *('buy_contracts', 'sell_contracts', 'withdraw_prediction_balance'),
    ]


def test_is_within_what_providers_of_models_take() -> None:
    with AgentWallet(WalletOptions('http://service'), token_of('agent')) as wallet:
        tools = wallet_tools(wallet)
    for tool in tools:
        assert re.fullmatch(r'[a-z_]{1,64}', tool.name)
        assert len(tool.description) <= 1024
        assert '$ref' not in json.dumps(tool.parameters)
