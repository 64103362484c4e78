from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any, TypeAlias

import pytest

from agent_wallet import MemoryStore, WalletOptions

from .clients import Clients
from .scripted_service import ScriptedService, success, token_of

DONE = {
    'transactionId': '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f',
    'transactionStatus': 'confirmed',
    'status': 'confirmed',
}
TRANSFER = {'to': 'RECIPIENT', 'amount': '1'}
TRADE = {'from_': 'SOL', 'to': 'USDC', 'amount': '1'}
ADD = {'pool': 'POOL', 'token': 'USDC', 'amount': '1'}
REMOVE = {'position_id': 'POOL', 'percent': 50}
CONTRACTS = {'ticker': 'MARKET', 'side': 'yes', 'count': 1}

Call: TypeAlias = Callable[[Any], object]

METHODS: dict[str, tuple[Call, ...]] = {
    'transfer': (lambda wallet: wallet.transfer(**TRANSFER), lambda wallet: wallet.dry_run.transfer(**TRANSFER)),
    'trade': (lambda wallet: wallet.trade(**TRADE), lambda wallet: wallet.dry_run.trade(**TRADE)),
    'unwrap_sol': (lambda wallet: wallet.unwrap_sol(), lambda wallet: wallet.dry_run.unwrap_sol()),
    'add_liquidity': (
        lambda wallet: wallet.liquidity.add(**ADD),
        lambda wallet: wallet.dry_run.liquidity.add(**ADD),
    ),
    'remove_liquidity': (
        lambda wallet: wallet.liquidity.remove(**REMOVE),
        lambda wallet: wallet.dry_run.liquidity.remove(**REMOVE),
    ),
    'buy_contracts': (
        lambda wallet: wallet.predictions.buy(**CONTRACTS),
        lambda wallet: wallet.dry_run.predictions.buy(**CONTRACTS),
    ),
    'sell_contracts': (
        lambda wallet: wallet.predictions.sell(**CONTRACTS),
        lambda wallet: wallet.dry_run.predictions.sell(**CONTRACTS),
    ),
    'withdraw_prediction_balance': (lambda wallet: wallet.predictions.withdraw(amount_dollars='1.50'),),
}
"""The method of every action, and that of its dry run."""

TOOLS: list[dict[str, Any]] = json.loads(files('agent_wallet').joinpath('_generated_tools.json').read_text())
ACTIONS = [tool for tool in TOOLS if tool['movesMoney']]


@pytest.mark.parametrize('action', ACTIONS, ids=lambda action: action['name'])
def test_has_a_method_for_every_action_and_its_dry_run(
    service: ScriptedService, clients: Clients, action: dict[str, Any]
) -> None:
    service.script(success(DONE))
    wallet = clients.wallet(WalletOptions(service.url, store=MemoryStore()), token_of('agent'))
    for call in METHODS[action['name']]:
        call(wallet)
    dry_runs = [f'{action["path"]}?dryRun=true'] if 'dryRun' in action['query'] else []
    assert [(seen.method, seen.path) for seen in service.seen] == [('POST', path) for path in [action['path'], *dry_runs]]
