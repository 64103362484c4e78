"""Logins by mail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..transport import StartedLogin, WalletOptions
from .client import Client
from .wallet import AgentWallet

if TYPE_CHECKING:
    import httpx

    from .. import _generated as types


@dataclass(frozen=True)
class LoggedIn:
    """A wallet and the session that was begun for it."""

    wallet: AgentWallet
    session: types.CompletedLogin


def start_login(options: WalletOptions, email: str, *, client: httpx.Client | None = None) -> StartedLogin:
    """Mails a login code to an address. The first login of an address creates its wallet."""
    started = cast('types.StartedLogin', _post(options, client, '/connect/start', {'email': email}))
    return StartedLogin(email, started['otpId'])


def complete_login(
    options: WalletOptions, login: StartedLogin, otp_code: str, *, client: httpx.Client | None = None
) -> LoggedIn:
    """Exchanges a mailed code for a session. Raises ApiError AUTHENTICATION_ERROR for a wrong code."""
    body = {'email': login.email, 'otpId': login.otp_id, 'otpCode': otp_code}
    session = cast('types.CompletedLogin', _post(options, client, '/connect/complete', body))
    return LoggedIn(AgentWallet(options, session['sessionToken'], client=client), session)


def log_in(
    options: WalletOptions,
    email: str,
    read_code: Callable[[StartedLogin], str],
    *,
    client: httpx.Client | None = None,
) -> LoggedIn:
    """Logs in by mail. `read_code` returns the code of the mail: a prompt, or a program that reads the inbox."""
    login = start_login(options, email, client=client)
    return complete_login(options, login, read_code(login), client=client)


def _post(options: WalletOptions, client: httpx.Client | None, path: str, body: dict[str, str]) -> object:
    calls = Client(options, None, client)
    try:
        return calls.send('POST', path, body)
    finally:
        calls.driver.close()
