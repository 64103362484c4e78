"""Test money of the sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict, cast
from urllib.parse import urlsplit

from .amounts import exact_number, write_body
from .errors import FaucetError
from .steps import Call, Reply, Steps, sent

if TYPE_CHECKING:
    from decimal import Decimal

    from . import _generated as types


class Poured(TypedDict):
    """The faucet's transaction, which is confirmed."""

    signature: str


def faucet_of(service: types.Service) -> str:
    """Returns the faucet of a service. Raises FaucetError outside the sandbox, and where it has no address."""
    faucet, network = service['faucet'], service['network']
    if faucet:
        return faucet
    if network == 'sandbox':
        raise FaucetError('The service names no faucet. Ask its operator to set SANDBOX_ADMIN_URL.')
    raise FaucetError(
        f"A faucet exists only in the sandbox, and the service is on {network}. Send money to the wallet's address."
    )


def pour(faucet: str, address: str, token: str, amount: str | Decimal) -> Steps[Poured]:
    """
    Has a faucet pay a wallet. The session token stays here: the faucet needs none.

    Raises FaucetError and NoAnswerError.
    """
    url = urlsplit(faucet)
    body = write_body({'address': address, 'token': token, 'amount': format(exact_number(amount, 'amount'), 'f')})
    headers = {'accept': 'application/json', 'content-type': 'application/json'}
    reply = yield from sent(Call('POST', url.path, body, base=f'{url.scheme}://{url.netloc}'), headers)
    answer = _parsed(reply)
    signature = answer.get('signature')
    if 200 <= reply.status < 300 and isinstance(signature, str):
        return {'signature': signature}
    raise FaucetError(f'The faucet refused: {answer.get("error") or f"HTTP {reply.status}"}')


def _parsed(reply: Reply) -> Mapping[str, object]:
    try:
        content: object = json.loads(reply.body)
    except (ValueError, RecursionError):
        return {}
    return cast('dict[str, object]', content) if isinstance(content, dict) else {}
