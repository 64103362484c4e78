from __future__ import annotations

import json

import pytest

from agent_wallet import MemoryStore, WalletOptions
from agent_wallet.event_stream import Open, Read, follow
from agent_wallet.orders import TransferOrder
from agent_wallet.routes import Routes
from agent_wallet.steps import Outcome, Reply, Send, Sleep, Work
from agent_wallet.transport import Transport

from .scripted_service import token_of


def accepted(status: str) -> Reply:
    data = {'status': status, 'transactionStatus': status, 'transactionId': 'i'}
    return Reply(202, {}, json.dumps({'status': True, 'message': 'm', 'data': data}).encode())


@pytest.mark.parametrize(
    ('status', 'pauses'),
    [('submitted', [0.5, 1, 2, 4, 5, 5, 5]), ('awaiting_approval', [0.5, 1, 2, 4, 8, 15, 15])],
)
def test_asks_less_and_less_often(status: str, pauses: list[float]) -> None:
    routes = Routes(WalletOptions('http://service', store=MemoryStore()), token_of('agent'))
    steps = routes.run('/path', TransferOrder, {'to': 'R', 'amount': '1'})
    outcome = Outcome()
    found: list[float] = []
    while len(found) < len(pauses):
        effect = outcome.resume(steps)
        outcome = Outcome()
        if isinstance(effect, Send):
            outcome = Outcome(accepted(status))
        elif isinstance(effect, Work):
            effect.run()
        else:
            found.append(effect.seconds)
    assert found == pauses


def test_reconnects_less_and_less_often_until_something_comes() -> None:
    steps = follow(Transport(WalletOptions('http://service'), 'token'), 6)
    outcome = Outcome()
    found: list[float] = []
    pieces = [b': nothing\n\n'] * 7 + [b'event: ready\ndata: {}\n\n', None]
    while len(found) < 8:
        effect = outcome.resume(steps)
        outcome = Outcome()
        if isinstance(effect, Open):
            outcome = Outcome(Reply(200, {}, b''))
        elif isinstance(effect, Read):
            piece = pieces.pop(0)
            outcome = Outcome(piece if piece and b'ready' in piece else None)
        elif isinstance(effect, Sleep):
            found.append(effect.seconds)
    assert found == [0.5, 1, 2, 4, 8, 15, 15, 0.5]
