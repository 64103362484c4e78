"""Groups of calls of a wallet."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..orders import (
    ACTIONS,
    AddOrder,
    BuyOrder,
    RemoveOrder,
    SellOrder,
    TradeOrder,
    TransferOrder,
    UnwrapOrder,
    WithdrawOrder,
)
from ..routes import filled
from .client import Client
from .pages import Pages

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import _generated as types
    from .._generated_calls import Read
    from ..orders import AddCall, BuyCall, RemoveCall, SellCall, WithdrawCall


class Group:
    """Calls that belong together."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._get = cast('Read', client.get)


class Liquidity(Group):
    """Pools of liquidity, and the agent's positions in them."""

    def pools(self, **query: Unpack[types.GetLiquidityPoolsQuery]) -> Pages[types.Pool]:
        """Lists pools, the largest first."""
        return cast('Pages[types.Pool]', self._client.pages('/liquidity/pools', query, ('pools', 'cursor')))

    def pool(self, pool: str) -> types.Pool:
        """Returns a pool."""
        return self._get('/liquidity/pools/{pool}', params={'pool': pool})

    def positions(self) -> types.LiquidityPositions:
        """Returns the agent's positions."""
        return self._get('/liquidity/positions')

    def add(self, **call: Unpack[AddCall]) -> types.AddLiquidityResult:
        """Deposits tokens into a pool."""
        return cast('types.AddLiquidityResult', self._client.run(f'{ACTIONS}/liquidity/add', AddOrder, call))

    def remove(self, **call: Unpack[RemoveCall]) -> types.RemoveLiquidityResult:
        """Withdraws tokens from a pool."""
        return cast('types.RemoveLiquidityResult', self._client.run(f'{ACTIONS}/liquidity/remove', RemoveOrder, call))


class Predictions(Group):
    """Prediction markets."""

    def markets(self, **query: Unpack[types.ListMarketsQuery]) -> Pages[types.Market]:
        """Lists markets."""
        return cast('Pages[types.Market]', self._client.pages('/predictions/markets', query, ('markets', 'cursor')))

    def market(self, ticker: str) -> types.MarketResult:
        """Returns a market."""
        return self._get('/predictions/markets/{ticker}', params={'ticker': ticker})

    def orderbook(self, ticker: str) -> types.Orderbook:
        """Returns the open orders of a market."""
        return self._get('/predictions/markets/{ticker}/orderbook', params={'ticker': ticker})

    def events(self, **query: Unpack[types.ListEventsQuery]) -> Pages[types.Event]:
        """Lists events."""
        return cast('Pages[types.Event]', self._client.pages('/predictions/events', query, ('events', 'cursor')))

    def positions(self, **query: Unpack[types.ListPositionsQuery]) -> types.PositionsResult:
        """Returns the agent's positions."""
        return self._get('/predictions/positions', query=query)

    def orders(self, **query: Unpack[types.ListOrdersQuery]) -> Pages[types.Order]:
        """Lists the agent's orders."""
        return cast('Pages[types.Order]', self._client.pages('/predictions/orders', query, ('orders', 'cursor')))

    def balance(self) -> types.PredictionBalance:
        """Returns the prediction balance."""
        return self._get('/predictions/balance')

    def buy(self, **call: Unpack[BuyCall]) -> types.BuyContractsResult:
        """Buys contracts."""
        return cast('types.BuyContractsResult', self._client.run('/predictions/buy', BuyOrder, call))

    def sell(self, **call: Unpack[SellCall]) -> types.SellContractsResult:
        """Sells contracts."""
        return cast('types.SellContractsResult', self._client.run('/predictions/sell', SellOrder, call))

    def withdraw(self, **call: Unpack[WithdrawCall]) -> types.WithdrawalResult:
        """Moves dollars of the prediction balance to the wallet: `amount_dollars='12.50'`."""
        return cast('types.WithdrawalResult', self._client.run('/predictions/withdraw', WithdrawOrder, call))


class LiquidityDryRun(Group):
    """Answers to what a change of liquidity would come to."""

    def add(self, **order: Unpack[AddOrder]) -> types.AddLiquidityDryRun:
        """Tries a deposit into a pool."""
        return cast('types.AddLiquidityDryRun', self._client.dry_run(f'{ACTIONS}/liquidity/add', AddOrder, order))

    def remove(self, **order: Unpack[RemoveOrder]) -> types.RemoveLiquidityDryRun:
        """Tries a withdrawal from a pool."""
        return cast('types.RemoveLiquidityDryRun', self._client.dry_run(f'{ACTIONS}/liquidity/remove', RemoveOrder, order))


class PredictionsDryRun(Group):
    """Answers to what an order for contracts would come to."""

    def buy(self, **order: Unpack[BuyOrder]) -> types.BuyContractsDryRun:
        """Tries a purchase of contracts."""
        return cast('types.BuyContractsDryRun', self._client.dry_run('/predictions/buy', BuyOrder, order))

    def sell(self, **order: Unpack[SellOrder]) -> types.SellContractsDryRun:
        """Tries a sale of contracts."""
        return cast('types.SellContractsDryRun', self._client.dry_run('/predictions/sell', SellOrder, order))


class DryRun(Group):
    """Answers to what an operation would come to. Nothing is reserved, signed or recorded."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.liquidity = LiquidityDryRun(client)
        self.predictions = PredictionsDryRun(client)

    def transfer(self, **order: Unpack[TransferOrder]) -> types.TransferDryRun:
        """Tries a payment."""
        return cast('types.TransferDryRun', self._client.dry_run(f'{ACTIONS}/transfer', TransferOrder, order))

    def trade(self, **order: Unpack[TradeOrder]) -> types.TradeDryRun:
        """Tries a trade."""
        return cast('types.TradeDryRun', self._client.dry_run(f'{ACTIONS}/trade', TradeOrder, order))

    def unwrap_sol(self, **order: Unpack[UnwrapOrder]) -> types.UnwrapSolDryRun:
        """Tries a change of wrapped SOL to SOL."""
        return cast('types.UnwrapSolDryRun', self._client.dry_run(f'{ACTIONS}/unwrap-sol', UnwrapOrder, order))


class Policy(Group):
    """The rules for the agent, and what of its limits is left."""

    def get(self) -> types.PolicyResult:
        """Returns the policy."""
        return self._get('/wallets/me/policy')

    def usage(self) -> types.PolicyUsage:
        """Returns what of the limits is used."""
        return self._get('/wallets/me/policy/usage')

    def update(self, change: types.PolicyUpdateRequest, *, version: int | None = None) -> types.PolicyResult:
        """Changes the fields given; with `version`, only of that version."""
        headers = None if version is None else {'if-match': f'"{version}"'}
        return cast('types.PolicyResult', self._client.send('PATCH', '/wallets/me/policy', change, headers))

    def propose(self, changes: types.PolicyChanges, note: str | None = None) -> types.ApprovalResult:
        """Asks the owner for a change that only the owner can make."""
        body = {'changes': changes} if note is None else {'changes': changes, 'note': note}
        return cast('types.ApprovalResult', self._client.send('POST', '/wallets/me/policy/proposals', body))


class Approvals(Group):
    """Requests to the owner."""

    def list(self, **query: Unpack[types.ListApprovalsQuery]) -> Pages[types.Approval]:
        """Lists the approvals, the newest first."""
        return cast('Pages[types.Approval]', self._client.pages('/wallets/me/approvals', query, ('approvals', 'nextCursor')))

    def get(self, approval_id: str) -> types.ApprovalResult:
        """Returns an approval."""
        return self._get('/wallets/me/approvals/{approvalId}', params={'approvalId': approval_id})

    def withdraw(self, approval_id: str) -> types.ApprovalResult:
        """Withdraws a request to the owner."""
        path = filled('/wallets/me/approvals/{approvalId}/withdraw', {'approvalId': approval_id})
        return cast('types.ApprovalResult', self._client.send('POST', path))


class Sessions(Group):
    """The sessions of the agent."""

    def list(self) -> types.SessionList:
        """Returns the sessions."""
        return self._get('/connect/sessions')

    def end(self, session_id: str) -> types.EndedSession:
        """Ends a session."""
        path = filled('/connect/sessions/{sessionId}', {'sessionId': session_id})
        return cast('types.EndedSession', self._client.send('DELETE', path))

    def refresh(self) -> types.RefreshedSession:
        """Exchanges the token for a new one, which this wallet then uses."""
        session = cast('types.RefreshedSession', self._client.send('POST', '/connect/refresh'))
        self._client.routes.transport.token = session['sessionToken']
        return session

    def log_out(self) -> types.EndedSession:
        """Ends this session."""
        return cast('types.EndedSession', self._client.send('POST', '/connect/logout'))


class Tokens(Group):
    """Scoped tokens, for hosts and programs that should do a part of what the agent may."""

    def open(self, grant: types.TokenRequest) -> types.OpenedToken:
        """
        Opens a token. Its secret, `sessionToken`, is shown this once. A lost answer is a NoAnswerError, and is not asked for
        again: an opening has no key, so that a repeated one may be a second token. The first may be open: find it with
        `list`, and end it.
        """
        return cast('types.OpenedToken', self._client.send('POST', '/wallets/me/tokens', grant))

    def list(self) -> types.TokenList:
        """Returns the live tokens, the oldest first."""
        return self._get('/wallets/me/tokens')

    def end(self, token_id: str) -> types.EndedToken:
        """Ends a token at once, and with it what of it waits for the owner."""
        path = filled('/wallets/me/tokens/{tokenId}', {'tokenId': token_id})
        return cast('types.EndedToken', self._client.send('DELETE', path))
