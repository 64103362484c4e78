"""Failures of requests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from . import _generated as types
    from ._generated_calls import ErrorData


class AgentWalletError(Exception):
    """A failure of a request to the service."""


class ApiError(AgentWalletError):
    """An answer of the service that says no. Decide by `code` and `retry`; the message is for people."""

    def __init__(self, message: str, status: int, data: types.OtherError, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status."""
        self.data = data
        self.retry_after = retry_after
        """Seconds after which another attempt may succeed, where the service names them."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.status, self.data, self.retry_after)

    @property
    def code(self) -> types.ErrorCode:
        """The reason of the failure. More codes may follow."""
        return self.data['code']

    @property
    def retry(self) -> types.Retry:
        """The next attempt: `same_key`, `new_key` or `never`."""
        return self.data['retry']

    @property
    def transaction_id(self) -> str | None:
        """The operation that has failed for good; None where this request began none."""
        return self.data.get('transactionId')

    @property
    def suggestion(self) -> str | None:
        """Advice of the service, where it has some."""
        return self.data.get('suggestion')


def _error_data(error: ApiError, code: str) -> object:
    return error.data if error.data['code'] == code else None


error_data = cast('ErrorData', _error_data)
"""Returns the data of a failure with this code, typed; None for a failure with another code."""


class NoAnswerError(AgentWalletError):
    """No answer of the service: the connection failed, it took too long, or something else answered."""

    def __init__(self, message: str, *, is_unreachable: bool = False) -> None:
        super().__init__(message)
        self.is_unreachable = is_unreachable
        """Whether no connection could be made: the address may be wrong, and the service did not get the request."""


class FaucetError(AgentWalletError):
    """No test money: the service is not in the sandbox, or its faucet says no."""


@dataclass(frozen=True)
class OpenOperation:
    """The names of an operation that is not over."""

    key: str
    """Repeat the request with it, and with no other: `resume` does."""
    transaction_id: str | None = None
    """The operation in history, once the service has named it."""


class OutcomeUnknownError(AgentWalletError):
    """
    An operation whose end was not seen. It may have moved money, or may still: the same key finds out, a new one could pay
    twice.
    """

    def __init__(self, operation: OpenOperation, why: str = '') -> None:
        reason = f': {why.rstrip(".")}' if why else ''
        super().__init__(f'The outcome of the operation is not known yet{reason}. Resume it with the same key.')
        self.operation = operation
        self._why = why

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.operation, self._why)


class ExpiredKeyError(AgentWalletError):
    """
    A request that was sent more than 23 hours ago and is not sent again: its key may count as new, so that a repeat could pay
    twice.
    """

    def __init__(self, operation: OpenOperation, sent_at: float, transaction: types.Transaction | None = None) -> None:
        if transaction:
            message = f'The operation has ended: history says {transaction["status"]}. Its request was not sent again.'
        else:
            message = (
                f'The request of {datetime.fromtimestamp(sent_at, timezone.utc).isoformat()} is older than 23 hours. Sending '
                'it again could pay twice. Look for it in the history. Then forget it; without a record there, send it again '
                'with a new key.'
            )
        super().__init__(message)
        self.operation = operation
        self.sent_at = sent_at
        """Unix seconds."""
        self.transaction = transaction
        """How the operation ended, from history; None where it was not found, and may have moved money."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.operation, self.sent_at, self.transaction)


class StillOpenError(AgentWalletError):
    """An operation that waits longer than its caller does: for the chain, or for the owner."""

    def __init__(self, operation: OpenOperation, accepted: types.Accepted) -> None:
        super().__init__(f'The operation is {accepted["transactionStatus"]}. Resume it with the same key.')
        self.operation = operation
        self.accepted = accepted
        """The last answer: `submitted`, `awaiting_approval`, or another reason."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.operation, self.accepted)
