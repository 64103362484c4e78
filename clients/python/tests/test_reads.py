from __future__ import annotations

from decimal import Decimal

import pytest

from agent_wallet import AgentWallet, ApiError, Change, NoAnswerError, StreamEvent, WalletOptions

from .clients import Clients
from .scripted_service import ScriptedService, cut, failure, raw, strange, stream, success, token_of


@pytest.fixture
def wallet(service: ScriptedService, clients: Clients) -> AgentWallet:
    return clients.wallet(WalletOptions(f'{service.url}/', timeout=0.3), token_of('agent'))


def test_reads_a_list_page_by_page_as_far_as_it_is_iterated(service: ScriptedService, wallet: AgentWallet) -> None:
    pages = [
        success({'markets': [{'ticker': 'A'}, {'ticker': 'B'}], 'cursor': 'n x'}),
        success({'markets': [{'ticker': 'C'}], 'cursor': ''}),
    ]
    service.script(*pages)
    assert [market['ticker'] for market in wallet.predictions.markets(status='open')] == ['A', 'B', 'C']
    assert [seen.path for seen in service.seen] == [
        '/predictions/markets?status=open',
        '/predictions/markets?status=open&cursor=n+x',
    ]
    service.script(*pages)
    markets = wallet.predictions.markets()
    assert len(markets.all(2)) == 2
    assert len(service.seen) == 1
    service.script(*pages)
    first = markets.page()
    assert (len(first.entries), first.next_cursor) == (2, 'n x')
    assert markets.page(first.next_cursor).next_cursor is None


def test_ends_history_at_a_null_cursor(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(success({'transactions': [{'id': '1'}], 'nextCursor': None}))
    assert len(wallet.history(action='transfer', limit=5).all()) == 1
    assert service.seen[0].path == '/wallets/me/history?action=transfer&limit=5'


def test_repeats_a_read_while_that_helps(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(cut, strange(502, ''), failure(503, 'SERVICE_UNAVAILABLE', 'same_key'), success({'email': 'a'}))
    assert wallet.me() == {'email': 'a'}
    assert len(service.seen) == 4


def test_reads_numbers_without_loss(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(raw('{"totalUsdValue":0.30000000000000000001,"count":12345678901234567890}'))
    assert wallet.balances() == {'totalUsdValue': Decimal('0.30000000000000000001'), 'count': 12345678901234567890}


def test_puts_parameters_into_the_path_and_the_query(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(success({}))
    wallet.get('/tokens/{query}', params={'query': 'a/b?'})
    wallet.predictions.positions(settled=False)
    wallet.spending(by='token')
    assert [seen.path for seen in service.seen] == [
        '/tokens/a%2Fb%3F',
        '/predictions/positions?settled=false',
        '/wallets/me/spending?by=token',
    ]


def test_repeats_any_request_that_changes_nothing_and_no_other(service: ScriptedService, wallet: AgentWallet) -> None:
    path = '/wallets/me/actions/transfer'
    service.script(cut, success({'status': 'dry_run'}))
    assert wallet.call('POST', path, query={'dryRun': True}, body='{"to":"a"}') == {'status': 'dry_run'}
    assert [(seen.path, seen.body) for seen in service.seen] == [(f'{path}?dryRun=true', '{"to":"a"}')] * 2
    service.script(cut, success({}))
    with pytest.raises(NoAnswerError):
        wallet.call('POST', '/wallets/me/policy/proposals', body='{}')
    assert len(service.seen) == 1


def test_logs_in_by_a_mailed_code(service: ScriptedService, clients: Clients) -> None:
    service.script(success({'otpId': 'o'}), success({'sessionToken': token_of('agent'), 'isNewUser': True}))
    done, started = clients.log_in(WalletOptions(service.url), 'a@example.com', '123456')
    assert [(login.email, login.otp_id) for login in started] == [('a@example.com', 'o')]
    assert (done.wallet.token, done.session['isNewUser']) == (token_of('agent'), True)
    assert service.seen[1].body == '{"email":"a@example.com","otpId":"o","otpCode":"123456"}'
    assert 'authorization' not in service.seen[1].headers


def test_uses_the_token_of_a_refreshed_session(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(success({'sessionToken': token_of('agent') + '2'}), success({}))
    wallet.sessions.refresh()
    wallet.me()
    assert service.seen[1].headers['authorization'] == f'Bearer {token_of("agent")}2'


@pytest.mark.parametrize('url', ['', 'localhost:8080', 'ftp://a'])
def test_takes_no_address_without_a_scheme(url: str) -> None:
    with pytest.raises(ValueError, match='base_url'):
        WalletOptions(url)


def change(sequence: int) -> bytes:
    return f'id: {sequence}\nevent: change\ndata: {{"sequence":{sequence},"type":"t"}}\n\n'.encode()


def take(wallet: AgentWallet, count: int, after: int | None = None) -> list[StreamEvent]:
    events: list[StreamEvent] = []
    for event in wallet.events(after=after):
        events.append(event)
        if len(events) == count:
            break
    return events


def shown(events: list[StreamEvent]) -> list[object]:
    return [event.sequence if isinstance(event, Change) else event.type for event in events]


def places(service: ScriptedService) -> list[str | None]:
    return [seen.headers.get('last-event-id') for seen in service.seen]


def test_goes_on_with_changes_after_a_cut_in_any_pieces(service: ScriptedService, wallet: AgentWallet) -> None:
    crlf = change(9).replace(b'\n', b'\r\n')
    service.script(
        stream(b': hello\nretry: 1\nid: 6\nevent: ready\ndata: {}\n\n', change(7), change(8)[:9], change(8)[9:]),
        stream(b'id: 8\nevent: ready\ndata: {}\r\n\r', b'\n', change(8), crlf[:21], crlf[21:]),
    )
    assert shown(take(wallet, 5)) == ['ready', 7, 8, 'ready', 9]
    assert places(service) == [None, '8']


def test_asks_again_for_a_gap_and_reports_one_that_stays(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(stream(change(7), change(9)), stream(change(8), change(9), change(12)), stream(change(12)))
    assert shown(take(wallet, 5, after=6)) == [7, 8, 9, 'reset', 12]
    assert places(service) == ['6', '7', '9']


def test_begins_where_a_reset_says(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(stream(b'id: 40\nevent: reset\ndata: {}\n\n', change(41)))
    assert shown(take(wallet, 2, after=6)) == ['reset', 41]


def test_reads_a_change_whole(service: ScriptedService, wallet: AgentWallet) -> None:
    data = '"eventId":"e","type":"t","occurredAt":"now","action":"trade","transactionId":"é"'
    text = f'id: 7\nevent: change\ndata: {{"sequence":7,\ndata: {data}}}\n\n'.encode()
    at = text.index('é'.encode()) + 1
    service.script(stream(text[:at], text[at:]))
    assert take(wallet, 1) == [Change(7, 'e', 't', 'now', 'trade', 'é')]


def test_follows_again_after_failures_that_pass(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(
        failure(503, 'SERVICE_UNAVAILABLE', 'same_key'),
        stream(b'event: change\ndata: {broken\n\n'),
        stream(change(7)),
    )
    assert shown(take(wallet, 1)) == [7]


def test_ends_a_stream_with_its_session(service: ScriptedService, wallet: AgentWallet) -> None:
    service.script(failure(401, 'AUTHENTICATION_ERROR', 'same_key'))
    with pytest.raises(ApiError, match='AUTHENTICATION_ERROR'):
        take(wallet, 1)
