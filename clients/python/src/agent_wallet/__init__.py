"""Calls the REST API of Agent Wallet: money moves once for each call, regardless of lost answers and of crashes."""

from .aio.login import AsyncLoggedIn, async_complete_login, async_log_in, async_start_login
from .aio.pages import AsyncPages
from .aio.wallet import AsyncAgentWallet
from .amounts import Amount, BaseUnits
from .errors import (
    AgentWalletError,
    ApiError,
    ExpiredKeyError,
    FaucetError,
    NoAnswerError,
    OpenOperation,
    OutcomeUnknownError,
    StillOpenError,
    error_data,
)
from .event_stream import Change, Notice, StreamEvent
from .faucet import Poured
from .operations import OperationOptions, ResumeOptions
from .orders import (
    AddOrder,
    BuyOrder,
    RemoveOrder,
    SellOrder,
    TradeOrder,
    TransferOrder,
    UnwrapOrder,
    WithdrawOrder,
)
from .routes import Page
from .stores import FileStore, KeyStore, MemoryStore, PendingRequest
from .sync.login import LoggedIn, complete_login, log_in, start_login
from .sync.pages import Pages
from .sync.wallet import AgentWallet
from .transport import StartedLogin, WalletOptions

__all__ = [
    'AddOrder',
    'AgentWallet',
    'AgentWalletError',
    'Amount',
    'BaseUnits',
    'ApiError',
    'AsyncAgentWallet',
    'AsyncLoggedIn',
    'AsyncPages',
    'BuyOrder',
    'Change',
    'ExpiredKeyError',
    'FaucetError',
    'FileStore',
    'KeyStore',
    'LoggedIn',
    'MemoryStore',
    'NoAnswerError',
    'Notice',
    'OpenOperation',
    'OperationOptions',
    'OutcomeUnknownError',
    'Page',
    'Pages',
    'PendingRequest',
    'Poured',
    'RemoveOrder',
    'ResumeOptions',
    'SellOrder',
    'StartedLogin',
    'StillOpenError',
    'StreamEvent',
    'TradeOrder',
    'TransferOrder',
    'UnwrapOrder',
    'WalletOptions',
    'WithdrawOrder',
    'async_complete_login',
    'async_log_in',
    'async_start_login',
    'complete_login',
    'error_data',
    'log_in',
    'start_login',
]
