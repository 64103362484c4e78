from __future__ import annotations

from collections.abc import Callable

import pytest

from agent_wallet import (
    AgentWallet,
    ExpiredKeyError,
    MemoryStore,
    OutcomeUnknownError,
    StillOpenError,
    WalletOptions,
)

from .clients import Clients
from .scripted_service import Reply, ScriptedService, cut, failure, success, token_of

ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f'
HOUR = 3600
DONE = {'transactionId': ID, 'transactionStatus': 'confirmed', 'status': 'confirmed'}
SUBMITTED = {'transactionId': ID, 'transactionStatus': 'submitted', 'status': 'submitted'}
PAY = 'POST /wallets/me/actions/transfer'
READ = f'GET /wallets/me/history/{ID}'


class Clock:
    now = 1_700_000_000.0


Opened = Callable[[], AgentWallet]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(service: ScriptedService, clients: Clients, clock: Clock) -> Opened:
    """Opens the wallet of a later process."""
    options = WalletOptions(service.url, store=MemoryStore(), timeout=0.3, retry_for=0, now=lambda: clock.now)
    return lambda: clients.wallet(options, token_of('agent'))


def pay(wallet: AgentWallet, key: str | None = None) -> object:
    if key is None:
        return wallet.transfer(to='R', amount='1', wait=0.001)
    return wallet.transfer(to='R', amount='1', wait=0.001, key=key)


def leave_open(service: ScriptedService, opened: Opened, reply: Reply) -> str:
    """Sends an order whose end is not seen, and returns its key."""
    service.script(reply)
    with pytest.raises((OutcomeUnknownError, StillOpenError)):
        pay(opened())
    [kept] = opened().pending()
    return kept.key


def seen(service: ScriptedService) -> list[str]:
    return [f'{each.method} {each.path}' for each in service.seen]


def record(status: str) -> Reply:
    return success({'transaction': {'id': ID, 'status': status}})


def test_repeats_a_request_with_its_key_up_to_23_hours_later(service: ScriptedService, opened: Opened, clock: Clock) -> None:
    key = leave_open(service, opened, cut)
    clock.now += 23 * HOUR
    service.script(success(DONE))
    assert pay(opened()) == DONE
    assert service.keys() == [key]


@pytest.mark.parametrize('hours', [23.001, -25])
def test_sends_no_request_that_is_older_or_of_unknown_age(
    service: ScriptedService, opened: Opened, clock: Clock, hours: float
) -> None:
    key = leave_open(service, opened, cut)
    clock.now += hours * HOUR
    service.script(success(DONE))
    for named in (None, key):
        with pytest.raises(ExpiredKeyError, match=r'could pay twice.*history.*new key') as thrown:
            pay(opened(), named)
        assert (thrown.value.operation.key, thrown.value.transaction) == (key, None)
    assert seen(service) == []
    pay(opened(), 'another')
    [kept] = [each for each in opened().pending() if each.key == key]
    opened().forget(kept)
    pay(opened())
    assert seen(service) == [PAY, PAY]
    assert key not in service.keys()


@pytest.mark.parametrize('status', ['confirmed', 'failed', 'rejected_by_owner'])
def test_finds_the_end_in_history_and_forgets_the_request(
    service: ScriptedService, opened: Opened, clock: Clock, status: str
) -> None:
    leave_open(service, opened, success(SUBMITTED, 202))
    clock.now += 24 * HOUR
    service.script(record(status))
    [kept] = opened().pending()
    with pytest.raises(ExpiredKeyError) as thrown:
        opened().resume(kept)
    assert thrown.value.transaction == {'id': ID, 'status': status}
    assert (seen(service), list(opened().pending())) == ([READ], [])


@pytest.mark.parametrize('status', ['submitted', 'awaiting_approval'])
def test_goes_on_while_history_says_that_it_is_open(
    service: ScriptedService, opened: Opened, clock: Clock, status: str
) -> None:
    key = leave_open(service, opened, success(SUBMITTED, 202))
    clock.now += 100 * HOUR
    service.script(record(status), success(DONE))
    assert pay(opened()) == DONE
    assert seen(service) == [READ, PAY]
    assert service.seen[1].headers['idempotency-key'] == key


@pytest.mark.parametrize(
    ('reply', 'kind'),
    [
        (failure(404, 'NOT_FOUND', 'never'), ExpiredKeyError),
        (failure(403, 'INSUFFICIENT_SCOPE', 'never'), ExpiredKeyError),
        (failure(503, 'SERVICE_UNAVAILABLE', 'same_key'), OutcomeUnknownError),
        (cut, OutcomeUnknownError),
    ],
)
def test_neither_sends_nor_forgets_where_history_does_not_say(
    service: ScriptedService, opened: Opened, clock: Clock, reply: Reply, kind: type[Exception]
) -> None:
    leave_open(service, opened, success(SUBMITTED, 202))
    clock.now += 24 * HOUR
    service.script(reply)
    with pytest.raises(kind):
        pay(opened())
    assert (seen(service), len(opened().pending())) == ([READ], 1)
