"""The wallet of one agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

from ..event_stream import StreamEvent
from ..faucet import Poured
from ..orders import ACTIONS, TradeOrder, TransferOrder, UnwrapOrder
from ..stores import PendingRequest
from ..transport import WalletOptions
from .client import Client
from .groups import Approvals, DryRun, Liquidity, Policy, Predictions, Sessions, Tokens
from .pages import Pages

if TYPE_CHECKING:
    from decimal import Decimal

    import httpx
    from typing_extensions import Self, Unpack

    from .. import _generated as types
    from .._generated_calls import Read
    from ..operations import OperationOptions, ResumeOptions
    from ..orders import TradeCall, TransferCall, UnwrapCall


class AgentWallet:
    """The wallet of one agent. Money moves once for each call, regardless of lost answers and, with a store, of crashes."""

    def __init__(self, options: WalletOptions, token: str, *, client: httpx.Client | None = None) -> None:
        """Makes a wallet. A `client` of your own, for a proxy or a certificate, stays yours to close."""
        self._client = Client(options, token, client)
        self.get = cast('Read', self._client.get)
        """Reads any route of the API by its path in openapi.json."""
        self.liquidity = Liquidity(self._client)
        self.predictions = Predictions(self._client)
        self.dry_run = DryRun(self._client)
        self.policy = Policy(self._client)
        self.approvals = Approvals(self._client)
        self.sessions = Sessions(self._client)
        self.tokens = Tokens(self._client)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            # The result may not have been reported.
            self._client.driver.close()

    def close(self) -> None:
        """Forgets the requests whose results you have, and closes the connections."""
        self._client.driver.run(self._client.routes.operations.forget())
        self._client.driver.close()

    @property
    def token(self) -> str:
        """The session token. Keep it secret: its holder is the agent."""
        return self._client.routes.transport.token or ''

    def me(self) -> types.Wallet:
        """Returns the agent and its wallet."""
        return self.get('/wallets/me')

    def balances(self) -> types.Balances:
        """Returns the balances with their values."""
        return self.get('/wallets/me/balances')

    def faucet(self, *, token: str, amount: str | Decimal) -> Poured:
        """Gets test money in the sandbox; it is there on return. Raises FaucetError on any other network."""
        return self._client.driver.run(self._client.routes.faucet(token, amount))

    def transfer(self, **call: Unpack[TransferCall]) -> types.TransferResult:
        """Sends the native coin, or the token that `mint` names."""
        return cast('types.TransferResult', self._client.run(f'{ACTIONS}/transfer', TransferOrder, call))

    def trade(self, **call: Unpack[TradeCall]) -> types.TradeResult:
        """Trades one token for another."""
        return cast('types.TradeResult', self._client.run(f'{ACTIONS}/trade', TradeOrder, call))

    def unwrap_sol(self, **call: Unpack[UnwrapCall]) -> types.UnwrapSolResult:
        """Makes SOL of wrapped SOL: all of it without an amount."""
        return cast('types.UnwrapSolResult', self._client.run(f'{ACTIONS}/unwrap-sol', UnwrapOrder, call))

    def history(self, **query: Unpack[types.ListTransactionsQuery]) -> Pages[types.Transaction]:
        """Lists the records of history, the newest first."""
        pages = self._client.pages('/wallets/me/history', query, ('transactions', 'nextCursor'))
        return cast('Pages[types.Transaction]', pages)

    def spending(self, **query: Unpack[types.GetSpendingQuery]) -> types.Spending:
        """Returns what the wallet spent, in groups: of the last 30 days by day, unless the query says otherwise."""
        return self.get('/wallets/me/spending', query=query)

    def transaction(self, transaction_id: str) -> types.Transaction:
        """Returns a record of history."""
        found = self.get('/wallets/me/history/{transactionId}', params={'transactionId': transaction_id})
        return found['transaction']

    def events(self, *, after: int | None = None) -> Iterator[StreamEvent]:
        """Follows the changes of the wallet, without gaps. Those that came after the sequence `after` come first."""
        return self._client.driver.events(self._client.routes.follow(after))

    def pending(self) -> Sequence[PendingRequest]:
        """Returns the requests of this agent whose end was not seen: those of an earlier process, with a store."""
        return self._client.driver.run(self._client.routes.operations.pending())

    def resume(self, request: PendingRequest, **options: Unpack[ResumeOptions]) -> object:
        """Goes on with a request of `pending` to its end, and returns what its call would have returned."""
        return self._client.resume(request, options)

    def forget(self, request: PendingRequest) -> None:
        """Forgets a request of `pending`, once you know from history what became of it."""
        self._client.driver.run(self._client.routes.operations.drop(request))

    def call(
        self,
        method: Literal['GET', 'POST'],
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        body: str | None = None,
    ) -> object:
        """Makes any request that moves no money, with JSON as its body: a read, a dry run, a proposal."""
        return self._client.call(method, path, params or {}, query or {}, body)

    def act(
        self,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: str = '{}',
        **options: Unpack[OperationOptions],
    ) -> object:
        """Makes any request that moves money, with JSON as its body, to its end."""
        return self._client.act(path, params or {}, body, options)
