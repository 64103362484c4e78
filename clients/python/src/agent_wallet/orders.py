"""Orders: the fields of operations, and their bodies."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, TypeAlias, cast

from ._typing import NotRequired, TypedDict
from .amounts import Amount, amount_field, exact_number, write_body
from .operations import OperationOptions

ACTIONS = '/wallets/me/actions'

Number: TypeAlias = int | Decimal | str


class TransferOrder(TypedDict):
    """A payment."""

    to: str
    """Wallet address of the recipient."""
    amount: Amount
    mint: NotRequired[str]
    """Symbol or mint address; omit to send the native coin."""
    memo: NotRequired[str]
    """Text that goes on chain with the transfer, at most 256 bytes of UTF-8."""


class TradeOrder(TypedDict):
    """An exchange of one token for another."""

    from_: str
    """The token that is spent: symbol or mint address."""
    to: str
    """The token that comes in: symbol or mint address."""
    amount: Amount
    """Amount of `from_`."""
    slippage_bps: NotRequired[int]
    """The most that the output may be below the quote: 50 basis points when omitted."""
    allow_risky: NotRequired[bool]
    """Trade even if a token has critical warnings."""
    max_price_impact_percent: NotRequired[Number]
    """Most loss at market prices, slippage apart."""
    allow_unpriced_output: NotRequired[bool]
    """Take a token without a price."""


class UnwrapOrder(TypedDict):
    """A change of wrapped SOL to SOL."""

    amount: NotRequired[Amount]
    """Omit to unwrap all."""


class AddOrder(TypedDict):
    """A deposit into a pool."""

    pool: str
    """Address of the pool."""
    token: str
    """The token of `amount`: symbol or mint."""
    amount: Amount
    """The most of `token`."""
    max_other_amount: NotRequired[Amount]
    """The most of the other token."""
    slippage_bps: NotRequired[int]
    """The most that the pool may move: 50 basis points when omitted."""


class RemoveOrder(TypedDict):
    """A withdrawal from a pool."""

    position_id: str
    """The position, as `liquidity.positions` lists it."""
    percent: NotRequired[Number]
    """The share of the position to remove; or set `liquidity_raw`."""
    liquidity_raw: NotRequired[int]
    """Liquidity tokens to remove, in base units; or set `percent`."""
    slippage_bps: NotRequired[int]
    """The most that the pool may move: 50 basis points when omitted."""


class BuyOrder(TypedDict):
    """A purchase of contracts."""

    ticker: str
    side: Literal['yes', 'no']
    count: int
    max_price_cents: NotRequired[int]
    """The most to pay for one contract of that side."""
    max_price_dollars: NotRequired[str]
    """The same, as text on the market's tick; in place of `max_price_cents`."""


class SellOrder(TypedDict):
    """A sale of contracts."""

    ticker: str
    side: Literal['yes', 'no']
    count: Number
    """Contracts, at most 2 decimals."""
    min_price_cents: NotRequired[int]
    """The least to take for one contract of that side."""
    min_price_dollars: NotRequired[str]
    """The same, as text on the market's tick; in place of `min_price_cents`."""


class WithdrawOrder(TypedDict):
    """A move of dollars from the prediction balance to the wallet."""

    amount_dollars: str | Decimal
    """Dollars, at most 2 decimals."""


class TransferCall(TransferOrder, OperationOptions):
    """A payment, and the options of its operation."""


class TradeCall(TradeOrder, OperationOptions):
    """A trade, and the options of its operation."""


class UnwrapCall(UnwrapOrder, OperationOptions):
    """A change of wrapped SOL, and the options of its operation."""


class AddCall(AddOrder, OperationOptions):
    """A deposit into a pool, and the options of its operation."""


class RemoveCall(RemoveOrder, OperationOptions):
    """A withdrawal from a pool, and the options of its operation."""


class BuyCall(BuyOrder, OperationOptions):
    """A purchase of contracts, and the options of its operation."""


class SellCall(SellOrder, OperationOptions):
    """A sale of contracts, and the options of its operation."""


class WithdrawCall(WithdrawOrder, OperationOptions):
    """A withdrawal of dollars, and the options of its operation."""


_OPTIONS = OperationOptions.__annotations__.keys()


def split(call: Mapping[str, object]) -> tuple[dict[str, object], OperationOptions]:
    """Splits the arguments of an operation into its order and its options."""
    order = {name: value for name, value in call.items() if name not in _OPTIONS}
    options = {name: value for name, value in call.items() if name in _OPTIONS and value is not None}
    return order, cast(OperationOptions, options)


def body_of(kind: type, order: Mapping[str, object]) -> str:
    """
    Writes an order as the body of a request, in the order of its fields, so that equal orders are equal to the byte. A field
    that is None is left out. Raises TypeError for a field that is missing or unknown.
    """
    names = cast('dict[str, object]', kind.__annotations__)
    given = {name: value for name, value in order.items() if value is not None}
    if unknown := given.keys() - names.keys():
        raise TypeError(f'unexpected argument {min(unknown)!r}')
    if missing := cast('frozenset[str]', vars(kind)['__required_keys__']) - given.keys():
        raise TypeError(f'missing argument {min(missing)!r}')
    fields: dict[str, object] = {}
    for name in names:
        if name in given:
            fields.update(_field(name, given[name]))
    return write_body(fields)


def _field(name: str, value: object) -> dict[str, object]:
    to = re.sub(r'_(\w)', lambda found: found[1].upper(), name.rstrip('_'))
    if name in ('amount', 'max_other_amount'):
        return amount_field(to, cast(Amount, value))
    if name == 'liquidity_raw':
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f'{name} must be an int of base units, not {value!r}')
        return {to: str(value)}
    if name == 'amount_dollars' or ((name == 'count' or name.endswith('percent')) and not isinstance(value, int)):
        return {to: exact_number(value, name)}
    return {to: value}
