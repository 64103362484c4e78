"""Tools of a wallet that a language model can call."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast, overload

from ._typing import TypedDict
from .aio.wallet import AsyncAgentWallet
from .amounts import exact_number, write_body
from .errors import AgentWalletError, ApiError, OutcomeUnknownError, StillOpenError
from .routes import filled
from .sync.wallet import AgentWallet

if TYPE_CHECKING:
    from typing_extensions import Unpack

Text = TypeVar('Text')


@dataclass(frozen=True)
class WalletTool(Generic[Text]):
    """A tool that a language model can call."""

    name: str
    description: str
    parameters: dict[str, object]
    """JSON Schema of the input."""
    moves_money: bool
    run: Callable[[object], Text]
    """
    Calls the API, and waits for the end of what moves money. Returns JSON text for the model: the data of the answer, or
    `error` with what it means and what to do. It raises nothing that a model could cause.
    """


class ToolOptions(TypedDict, total=False):
    """Settings of tools."""

    only: Sequence[str] | None
    """The names of the tools to give; all when omitted."""
    read_only: bool
    """Whether to leave out what moves money."""
    wait_s: float
    """The seconds to wait for the end of an operation: 60 when omitted."""


class _Schema(TypedDict):
    properties: dict[str, object]
    required: list[str]


class _Record(TypedDict):
    name: str
    description: str
    movesMoney: bool
    method: Literal['GET', 'POST']
    path: str
    query: list[str]
    exact: list[str]
    parameters: _Schema


@dataclass(frozen=True)
class _Request:
    method: Literal['GET', 'POST']
    path: str
    query: Mapping[str, object]
    body: str | None
    is_payment: bool


@overload
def wallet_tools(wallet: AgentWallet, **options: Unpack[ToolOptions]) -> list[WalletTool[str]]: ...
@overload
def wallet_tools(wallet: AsyncAgentWallet, **options: Unpack[ToolOptions]) -> list[WalletTool[Awaitable[str]]]: ...
def wallet_tools(
    wallet: AgentWallet | AsyncAgentWallet, **options: Unpack[ToolOptions]
) -> list[WalletTool[str]] | list[WalletTool[Awaitable[str]]]:
    """
    Lists the tools of a wallet for a model. Each call of a tool that moves money is one payment, also where the connection
    breaks. A call goes on with an earlier equal one whose end was not seen; two at the same time are two payments.
    """
    records = _records(options)
    wait = options.get('wait_s', 60)
    if isinstance(wallet, AgentWallet):
        return [_tool(record, _runner(wallet, record, wait)) for record in records]
    return [_tool(record, _async_runner(wallet, record, wait)) for record in records]


def _tool(record: _Record, run: Callable[[object], Text]) -> WalletTool[Text]:
    parameters = cast('dict[str, object]', record['parameters'])
    return WalletTool(record['name'], record['description'], parameters, record['movesMoney'], run)


def _runner(wallet: AgentWallet, record: _Record, wait: float) -> Callable[[object], str]:
    def run(given: object) -> str:
        request = _prepared(record, given)
        if isinstance(request, str):
            return request
        try:
            if request.is_payment:
                return write_body(wallet.act(request.path, body=request.body or '{}', wait=wait))
            return write_body(wallet.call(request.method, request.path, query=request.query, body=request.body))
        except AgentWalletError as error:
            return write_body(_answer_of(error))

    return run


def _async_runner(wallet: AsyncAgentWallet, record: _Record, wait: float) -> Callable[[object], Awaitable[str]]:
    async def run(given: object) -> str:
        request = _prepared(record, given)
        if isinstance(request, str):
            return request
        try:
            if request.is_payment:
                return write_body(await wallet.act(request.path, body=request.body or '{}', wait=wait))
            return write_body(await wallet.call(request.method, request.path, query=request.query, body=request.body))
        except AgentWalletError as error:
            return write_body(_answer_of(error))

    return run


def _records(options: ToolOptions) -> list[_Record]:
    """Reads the records of the tools. Raises ValueError for a name in `only` that no tool has."""
    # Slow to import, so not before it is used.
    from importlib.resources import files

    file = files(__package__ or '').joinpath('_generated_tools.json')
    records = cast('list[_Record]', json.loads(file.read_text(encoding='utf-8')))
    only = options.get('only')
    names = [record['name'] for record in records]
    if unknown := [name for name in only or () if name not in names]:
        raise ValueError(f'No tool has the name {unknown[0]!r}.')
    read_only = options.get('read_only', False)
    return [
        record for record in records if not (read_only and record['movesMoney']) and (only is None or record['name'] in only)
    ]


def _prepared(record: _Record, given: object) -> _Request | str:
    """Makes the request of a tool's input, or the text that says why none can be made."""
    try:
        return _request_of(record, _checked(record, given))
    except (TypeError, ValueError, RecursionError) as error:
        return write_body({'error': {'code': 'VALIDATION_ERROR', 'message': str(error)}})


def _request_of(record: _Record, fields: Mapping[str, object]) -> _Request:
    in_path = [name for name in fields if f'{{{name}}}' in record['path']]
    in_query = record['query']
    body = {name: value for name, value in fields.items() if name not in in_path and name not in in_query}
    amounts = {name: exact_number(body[name], name) for name in record['exact'] if name in body}
    return _Request(
        record['method'],
        filled(record['path'], cast('Mapping[str, str]', {name: fields[name] for name in in_path})),
        {name: value for name, value in fields.items() if name in in_query},
        write_body({**body, **amounts}) if record['method'] == 'POST' else None,
        record['movesMoney'] and fields.get('dryRun') is not True,
    )


def _checked(record: _Record, given: object) -> dict[str, object]:
    """Takes an object of the tool's fields with all that it needs, and without those that are None."""
    if not isinstance(given, (Mapping, type(None))):
        raise TypeError('The input must be an object.')
    fields = {name: value for name, value in cast('Mapping[str, object]', given or {}).items() if value is not None}
    schema = record['parameters']
    for name in fields:
        if name not in schema['properties']:
            raise TypeError(f'The tool has no field {name}.')
    for name in schema['required']:
        if name not in fields:
            raise TypeError(f'{name} is required.')
    # Text that says `true` would make a payment of a dry run.
    if not isinstance(fields.get('dryRun', False), bool):
        raise TypeError('dryRun must be true or false.')
    return {name: value if name in record['exact'] else _exactly(value) for name, value in fields.items()}


def _exactly(value: object) -> object:
    """Takes a float as the shortest decimal that stands for it, which is what a model wrote."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f'{value} is not a number that JSON has.')
        return int(value) if value.is_integer() else Decimal(repr(value))
    if isinstance(value, Mapping):
        return {name: _exactly(part) for name, part in cast('Mapping[str, object]', value).items()}
    if isinstance(value, (list, tuple)):
        return [_exactly(part) for part in cast('Sequence[object]', value)]
    return value


def _answer_of(error: AgentWalletError) -> dict[str, object]:
    """Turns a failure into what the model reads."""
    if isinstance(error, ApiError):
        return {'error': {**error.data, 'message': str(error)}}
    if isinstance(error, StillOpenError):
        return {**error.accepted, 'next': _NEXT_STILL_OPEN}
    if isinstance(error, OutcomeUnknownError):
        names = {'key': error.operation.key, 'transactionId': error.operation.transaction_id}
        return {**{name: value for name, value in names.items() if value is not None}, 'next': _NEXT_UNKNOWN}
    return {'error': {'code': 'NO_ANSWER', 'message': str(error)}}


_NEXT_STILL_OPEN = (
    'It is not over, and may still move money. Ask get_transaction later, or call the tool again with the same input: '
    'that continues it.'
)
_NEXT_UNKNOWN = (
    'The outcome is not known yet. Call the tool again with the same input: that continues it and pays nothing twice.'
)
