from __future__ import annotations

import asyncio
import pickle
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import TypedDict, cast

import anyio
import pytest

from agent_wallet import (
    AgentWallet,
    Amount,
    ApiError,
    AsyncAgentWallet,
    BaseUnits,
    ExpiredKeyError,
    MemoryStore,
    NoAnswerError,
    OpenOperation,
    OutcomeUnknownError,
    PendingRequest,
    StillOpenError,
    WalletOptions,
    error_data,
    types,
)

from .clients import Clients
from .scripted_service import Reply, ScriptedService, cut, failure, half, silence, strange, success, token_of

ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f'
DONE = {'transactionId': ID, 'transactionStatus': 'confirmed', 'status': 'confirmed'}
SUBMITTED = {'transactionId': ID, 'transactionStatus': 'submitted', 'status': 'submitted'}


class Order(TypedDict):
    to: str
    amount: Amount
    mint: str


ORDER: Order = {'to': 'RECIPIENT', 'amount': '0.1', 'mint': 'USDC'}
OTHER: Order = {**ORDER, 'amount': '0.2'}

WalletOf = Callable[..., AgentWallet]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def options(service: ScriptedService, store: MemoryStore) -> WalletOptions:
    return WalletOptions(service.url, store=store, timeout=0.3, retry_for=5)


@pytest.fixture
def wallet_of(clients: Clients, options: WalletOptions) -> WalletOf:
    def make(agent_id: str = 'agent', claims: Mapping[str, str] | None = None, **more: float) -> AgentWallet:
        return clients.wallet(replace(options, **more), token_of(agent_id, **(claims or {})))

    return make


@pytest.mark.parametrize(('status', 'data'), [(200, None), (200, []), (202, None), (202, {})])
def test_keeps_a_request_whose_answer_does_not_say_how_it_stands(
    service: ScriptedService, wallet_of: WalletOf, status: int, data: object
) -> None:
    service.script(success(data, status))
    wallet = wallet_of(retry_for=0)
    with pytest.raises(OutcomeUnknownError):
        wallet.transfer(**ORDER)
    assert len(wallet.pending()) == 1


def test_keeps_a_request_whose_answer_is_too_deep(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(strange(200, '[' * 200_000))
    with pytest.raises(OutcomeUnknownError):
        wallet_of(retry_for=0).transfer(**ORDER)


def test_sends_no_kept_request_to_a_host_that_its_path_names(service: ScriptedService, clients: Clients) -> None:
    service.script(success(DONE))
    wallet = clients.wallet(WalletOptions('http://wallet.invalid', retry_for=0), token_of('agent'))
    path = f'@{service.url.removeprefix("http://")}/wallets/me/actions/transfer'
    with pytest.raises(ValueError):
        wallet.resume(PendingRequest('k', 'agent', path, '{}', time.time()))
    assert service.seen == []


def test_leads_to_no_other_route_by_an_id(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(success({}))
    with pytest.raises(ValueError):
        wallet_of().sessions.end('..')
    assert service.seen == []


def test_sends_exact_amounts_with_a_key_and_the_wish_for_the_original(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(success(DONE))
    wallet = wallet_of()
    assert wallet.transfer(**ORDER) == DONE
    amounts: list[Amount] = [BaseUnits(30_000_000_000_000_001), '0.30000000000000000001', Decimal('1E+3'), Decimal('0.10')]
    for amount in amounts:
        wallet.transfer(to='RECIPIENT', mint='USDC', amount=amount)
    assert [seen.body for seen in service.seen] == [
        '{"to":"RECIPIENT","amount":0.1,"mint":"USDC"}',
        '{"to":"RECIPIENT","amountRaw":"30000000000000001","mint":"USDC"}',
        '{"to":"RECIPIENT","amount":0.30000000000000000001,"mint":"USDC"}',
        '{"to":"RECIPIENT","amount":1000,"mint":"USDC"}',
        '{"to":"RECIPIENT","amount":0.10,"mint":"USDC"}',
    ]
    first = service.seen[0]
    assert (first.method, first.path) == ('POST', '/wallets/me/actions/transfer')
    assert first.headers['prefer'] == 'return=original'
    assert first.headers['authorization'] == f'Bearer {token_of("agent")}'
    assert re.fullmatch(r'[0-9a-f-]{36}', first.headers['idempotency-key'])
    assert len(service.keys()) == 5


NO_AMOUNTS = [0.1, '1e3', '-1', '', ' 1', '1\n', '0x1', '١', float('nan'), Decimal('NaN'), Decimal(-1), True, None]


@pytest.mark.parametrize('amount', [*NO_AMOUNTS, 0, -1, 250, BaseUnits(0), BaseUnits(-1)])
def test_takes_no_other_amount(service: ScriptedService, store: MemoryStore, wallet_of: WalletOf, amount: object) -> None:
    service.script(success(DONE))
    with pytest.raises((TypeError, ValueError)):
        wallet_of().transfer(to='RECIPIENT', amount=cast(Amount, amount))
    assert (service.seen, store.list()) == ([], ())


def test_says_how_to_write_an_int(wallet_of: WalletOf) -> None:
    with pytest.raises(TypeError, match=r"write '250' for the token's own, or BaseUnits\(250\)"):
        wallet_of().transfer(to='RECIPIENT', amount=cast(Amount, 250))


def test_says_how_to_write_a_float(wallet_of: WalletOf) -> None:
    with pytest.raises(TypeError, match="write '0.1'"):
        wallet_of().transfer(to='RECIPIENT', amount=cast(Amount, 0.1))


@pytest.mark.parametrize('order', [{'amount': '1'}, {**ORDER, 'mnt': 'USDC'}])
def test_takes_no_order_with_a_field_missing_or_unknown(wallet_of: WalletOf, order: Order) -> None:
    with pytest.raises(TypeError, match='argument'):
        wallet_of().transfer(**order)


@pytest.mark.parametrize(
    'reply',
    [
        pytest.param(cut, id='a cut connection'),
        pytest.param(half, id='half an answer'),
        pytest.param(silence, id='silence'),
        pytest.param(strange(502, '<html>'), id='the page of a proxy'),
        pytest.param(strange(200, '<html>'), id='a page that says 200'),
        pytest.param(strange(503, '{"error":"busy"}'), id='a failure without an envelope'),
        pytest.param(
            strange(400, '{"status":false,"message":"m","data":{"code":"BAD_REQUEST"}}'), id='a failure of another service'
        ),
        pytest.param(failure(503, 'SERVICE_UNAVAILABLE', 'same_key'), id='a service that is not ready'),
        pytest.param(failure(429, 'RATE_LIMIT_EXCEEDED', 'same_key', {'retry-after': '1'}), id='a limit'),
        pytest.param(failure(409, 'IDEMPOTENCY_IN_PROGRESS', 'same_key'), id='an equal request under way'),
    ],
)
def test_repeats_with_the_same_key_after(
    service: ScriptedService, store: MemoryStore, wallet_of: WalletOf, reply: Reply
) -> None:
    service.script(reply, reply, success(DONE))
    wallet = wallet_of()
    assert wallet.transfer(**ORDER) == DONE
    assert (len(service.seen), len(service.keys()), len({seen.body for seen in service.seen})) == (3, 1, 1)
    wallet.close()
    assert store.list() == ()


def test_waits_as_long_as_the_service_says(service: ScriptedService, options: WalletOptions, clients: Clients) -> None:
    service.script(failure(429, 'RATE_LIMIT_EXCEEDED', 'same_key', {'retry-after': '1'}), success(DONE))
    waits: list[float] = []

    def count(_: object, wait: float) -> None:
        waits.append(wait)

    clients.wallet(replace(options, on_retry=count), token_of('agent')).transfer(**ORDER)
    assert waits == [1]


def test_asks_until_the_end_and_reports_each_answer_before(service: ScriptedService, wallet_of: WalletOf) -> None:
    waiting = {**SUBMITTED, 'transactionStatus': 'awaiting_approval', 'approvalUrl': 'https://owner.example.com'}
    odd = {**SUBMITTED, 'transactionStatus': 'on_its_way'}
    service.script(success(waiting, 202), success(SUBMITTED, 202), success(odd, 202), success(DONE))
    seen: list[str] = []
    done = wallet_of().transfer(**ORDER, on_accepted=lambda accepted: seen.append(accepted['transactionStatus']))
    assert done == DONE
    assert seen == ['awaiting_approval', 'submitted', 'on_its_way']
    assert len(service.keys()) == 1


@pytest.mark.parametrize(
    ('status', 'code', 'retry', 'more'),
    [
        (400, 'VALIDATION_ERROR', 'never', {}),
        (403, 'POLICY_VIOLATION', 'never', {'transactionId': ID}),
        (400, 'SLIPPAGE_EXCEEDED', 'new_key', {'transactionId': ID}),
        (504, 'TRANSACTION_EXPIRED', 'new_key', {'transactionId': ID}),
        (503, 'SERVICE_UNAVAILABLE', 'same_key', {'transactionId': ID}),
        (418, 'CODE_OF_TOMORROW', 'never', {}),
    ],
)
def test_forgets_what_has_failed_for_good(
    service: ScriptedService, store: MemoryStore, wallet_of: WalletOf, status: int, code: str, retry: str, more: dict[str, str]
) -> None:
    service.script(failure(status, code, retry, {}, **more))
    with pytest.raises(ApiError) as thrown:
        wallet_of().transfer(**ORDER)
    error = thrown.value
    found = (error.status, error.code, error.retry, error.transaction_id, error.suggestion)
    assert found == (status, code, retry, more.get('transactionId'), None)
    assert (error_data(error, 'POLICY_VIOLATION') is not None) == (code == 'POLICY_VIOLATION')
    assert (len(service.seen), store.list()) == (1, ())


def test_keeps_what_has_no_seen_end_and_goes_on_with_its_key(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(silence)
    wallet = wallet_of(timeout=0.1, retry_for=0)
    with pytest.raises(OutcomeUnknownError) as thrown:
        wallet.transfer(**ORDER)
    assert isinstance(thrown.value.__cause__, NoAnswerError)
    [kept] = wallet.pending()
    assert (kept.key, kept.holder, kept.path) == (thrown.value.operation.key, 'agent', '/wallets/me/actions/transfer')
    assert list(wallet_of('another').pending()) == []
    assert list(wallet_of('agent', claims={'tid': 'token'}).pending()) == []

    # Another agent, and another order, are other requests.
    service.script(success(DONE))
    wallet_of('another').transfer(**ORDER)
    wallet.transfer(**OTHER)
    assert list(wallet.pending()) == [kept]
    assert kept.key not in service.keys()
    service.script(success(DONE))
    resumed: list[str] = []
    wallet_of().transfer(amount='0.1', mint='USDC', to='RECIPIENT', on_resume=lambda request: resumed.append(request.key))
    assert (service.keys(), resumed) == ([kept.key], [kept.key])


def test_resumes_what_waits_longer_than_its_caller(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(success(SUBMITTED, 202))
    wallet = wallet_of()
    with pytest.raises(StillOpenError) as thrown:
        wallet.transfer(**ORDER, wait=0.001)
    assert thrown.value.operation.transaction_id == ID
    assert thrown.value.accepted['transactionStatus'] == 'submitted'
    service.script(success(DONE))
    [kept] = wallet.pending()
    assert wallet.resume(kept) == DONE
    assert service.keys() == [thrown.value.operation.key]
    assert list(wallet.pending()) == []


def test_keeps_what_ends_with_its_session(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(failure(401, 'AUTHENTICATION_ERROR', 'same_key'))
    wallet = wallet_of()
    with pytest.raises(ApiError, match='AUTHENTICATION_ERROR'):
        wallet.transfer(**ORDER)
    assert (len(service.seen), len(wallet.pending())) == (1, 1)


@pytest.mark.parametrize(
    'error',
    [
        ApiError('m', 403, cast(types.OtherError, {'code': 'POLICY_VIOLATION', 'retry': 'never'}), 7),
        OutcomeUnknownError(OpenOperation('k')),
        ExpiredKeyError(OpenOperation('k'), 1.5),
        StillOpenError(OpenOperation('k', ID), {'status': 'x', 'transactionStatus': 'x', 'transactionId': ID}),
    ],
)
def test_hands_errors_from_process_to_process(error: Exception) -> None:
    copy: object = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_resumes_one_left_open_once_for_two_equal_ones(
    service: ScriptedService, store: MemoryStore, wallet_of: WalletOf
) -> None:
    service.script(success(DONE))
    wallet = wallet_of()
    wallet.transfer(**ORDER)
    store.save(PendingRequest('left', 'agent', service.seen[0].path, service.seen[0].body, time.time()))
    wallet.transfer(**ORDER)
    wallet.transfer(**ORDER)
    assert [seen.headers['idempotency-key'] == 'left' for seen in service.seen] == [False, True, False]


def test_takes_no_key_that_ended_while_the_store_was_read(service: ScriptedService, options: WalletOptions) -> None:
    class SlowStore(MemoryStore):
        """A store whose first reader gets what was there before another operation."""

        def list(self) -> Sequence[PendingRequest]:
            found = super().list()
            if found and not self.is_used:
                self.is_used = True
                with AgentWallet(options_of_all, token_of('agent')) as second:
                    second.transfer(**ORDER)
            return found

        is_used = False

    store = SlowStore()
    options_of_all = replace(options, store=store)
    service.script(success(DONE))
    with AgentWallet(options_of_all, token_of('agent')) as wallet:
        wallet.transfer(**ORDER)
        store.save(PendingRequest('left', 'agent', service.seen[0].path, service.seen[0].body, time.time()))
        service.script(success(DONE))
        wallet.transfer(**ORDER)
    assert len(service.keys()) == 2


def test_runs_two_equal_ones_of_threads_with_a_key_each(service: ScriptedService, options: WalletOptions) -> None:
    service.script(success(DONE))
    with AgentWallet(options, token_of('agent')) as wallet, ThreadPoolExecutor(4) as threads:
        results = [threads.submit(wallet.transfer, **ORDER) for _ in range(12)]
        assert [each.result() for each in results] == [DONE] * 12
    assert len(service.keys()) == 12


def test_runs_two_equal_ones_of_tasks_with_a_key_each(service: ScriptedService, options: WalletOptions) -> None:
    async def both() -> None:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            await asyncio.gather(wallet.transfer(**ORDER), wallet.transfer(**ORDER))

    service.script(success(DONE))
    asyncio.run(both())
    assert len(service.keys()) == 2


def test_takes_the_callers_key_and_refuses_it_for_another_order(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(success(SUBMITTED, 202))
    wallet = wallet_of()
    with pytest.raises(StillOpenError):
        wallet.transfer(**ORDER, key='invoice 7', wait=0.001)
    with pytest.raises(ValueError, match='another request'):
        wallet.transfer(**OTHER, key='invoice 7')
    service.script(success(DONE))
    wallet.transfer(**ORDER, key='invoice 7')
    assert service.keys() == ['invoice 7']


@pytest.mark.parametrize('key', ['', 'é', 'a\n', 'k' * 129])
def test_takes_no_key_that_the_service_would_refuse(
    service: ScriptedService, store: MemoryStore, wallet_of: WalletOf, key: str
) -> None:
    service.script(success(DONE))
    with pytest.raises(ValueError, match='key'):
        wallet_of().transfer(**ORDER, key=key)
    assert (service.seen, store.list()) == ([], ())


@pytest.mark.parametrize('backend', ['asyncio', 'trio'])
def test_runs_on_asyncio_and_trio(service: ScriptedService, options: WalletOptions, backend: str) -> None:
    async def run() -> object:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            return await wallet.transfer(**ORDER)

    service.script(silence, success(SUBMITTED, 202), success(DONE))
    assert anyio.run(run, backend=backend) == DONE
    assert len(service.keys()) == 1


def test_keeps_what_a_cancelled_task_began(service: ScriptedService, options: WalletOptions) -> None:
    async def cancelled() -> int:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            accepted = asyncio.Event()
            sent = asyncio.create_task(wallet.transfer(**ORDER, on_accepted=lambda _: accepted.set()))
            await accepted.wait()
            sent.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sent
            return len(await wallet.pending())

    service.script(success(SUBMITTED, 202))
    assert asyncio.run(cancelled()) == 1


def test_keeps_what_an_interrupted_caller_began_and_goes_on_with_it(service: ScriptedService, wallet_of: WalletOf) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    service.script(success(SUBMITTED, 202))
    wallet = wallet_of()
    with pytest.raises(KeyboardInterrupt):
        wallet.transfer(**ORDER, on_accepted=interrupt)
    service.script(success(DONE))
    [kept] = wallet.pending()
    wallet.transfer(**ORDER)
    assert service.keys() == [kept.key]


def test_repeats_no_change_without_a_key(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(cut)
    with pytest.raises(NoAnswerError):
        wallet_of().policy.update({'allowTrading': False})
    assert len(service.seen) == 1


def test_names_the_version_of_the_policy_that_it_changes(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(success({}))
    wallet_of().policy.update({'dailyLimitInUsd': Decimal('900.10'), 'allowedTokens': None}, version=7)
    [seen] = service.seen
    assert (seen.method, seen.headers['if-match']) == ('PATCH', '"7"')
    assert seen.body == '{"dailyLimitInUsd":900.10,"allowedTokens":null}'


def test_opens_lists_and_ends_scoped_tokens(service: ScriptedService, wallet_of: WalletOf) -> None:
    token = {'id': ID, 'name': 'A bot', 'usedTodayUsd': 0}
    service.script(success({'token': token, 'sessionToken': 'secret'}), success({'tokens': [token]}), success({'ended': True}))
    wallet = wallet_of()
    opened = wallet.tokens.open({'name': 'A bot', 'scopes': ['read', 'trade'], 'maxSingleInUsd': Decimal('0.10')})
    assert opened == {'token': token, 'sessionToken': 'secret'}
    assert wallet.tokens.list() == {'tokens': [token]}
    assert wallet.tokens.end(ID) == {'ended': True}
    assert [(seen.method, seen.path, seen.body) for seen in service.seen] == [
        ('POST', '/wallets/me/tokens', '{"name":"A bot","scopes":["read","trade"],"maxSingleInUsd":0.10}'),
        ('GET', '/wallets/me/tokens', ''),
        ('DELETE', f'/wallets/me/tokens/{ID}', ''),
    ]


@pytest.mark.parametrize('lost', [cut, half, strange(502, ''), failure(503, 'SERVICE_UNAVAILABLE', 'same_key')])
def test_opens_no_second_token_where_the_answer_of_the_first_is_lost(
    service: ScriptedService, wallet_of: WalletOf, lost: Reply
) -> None:
    service.script(lost, success({'sessionToken': 'second'}))
    with pytest.raises((NoAnswerError, ApiError)):
        wallet_of().tokens.open({'name': 'A bot', 'scopes': ['read']})
    assert len(service.seen) == 1


def test_writes_the_orders_of_all_operations(service: ScriptedService, wallet_of: WalletOf) -> None:
    service.script(success(DONE))
    wallet = wallet_of()
    wallet.trade(from_='SOL', to='USDC', amount='1', slippage_bps=30, max_price_impact_percent='1.5', allow_risky=True)
    wallet.unwrap_sol()
    wallet.liquidity.add(pool='P', token='SOL', amount='1', max_other_amount=BaseUnits(5))
    wallet.liquidity.remove(position_id='P', percent=50)
    wallet.liquidity.remove(position_id='P', liquidity_raw=12)
    wallet.predictions.buy(ticker='T', side='yes', count=3, max_price_cents=40)
    wallet.predictions.sell(ticker='T', side='no', count='0.5')
    wallet.predictions.withdraw(amount_dollars='12.50')
    wallet.dry_run.transfer(to='R', amount='1')
    assert [(seen.path, seen.body) for seen in service.seen] == [
        (
            '/wallets/me/actions/trade',
            '{"from":"SOL","to":"USDC","amount":1,"slippageBps":30,"allowRisky":true,"maxPriceImpactPercent":1.5}',
        ),
        ('/wallets/me/actions/unwrap-sol', '{}'),
        ('/wallets/me/actions/liquidity/add', '{"pool":"P","token":"SOL","amount":1,"maxOtherAmountRaw":"5"}'),
        ('/wallets/me/actions/liquidity/remove', '{"positionId":"P","percent":50}'),
        ('/wallets/me/actions/liquidity/remove', '{"positionId":"P","liquidityRaw":"12"}'),
        ('/predictions/buy', '{"ticker":"T","side":"yes","count":3,"maxPriceCents":40}'),
        ('/predictions/sell', '{"ticker":"T","side":"no","count":0.5}'),
        ('/predictions/withdraw', '{"amountDollars":12.50}'),
        ('/wallets/me/actions/transfer?dryRun=true', '{"to":"R","amount":1}'),
    ]
    assert 'idempotency-key' not in service.seen[-1].headers
