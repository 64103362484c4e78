"""How a client tells every outcome of a transfer apart, and every failure. mypy rejects a case that is missing."""

from typing import assert_never

from agent_wallet.api.wallet.transfer import sync
from agent_wallet.client import AuthenticatedClient
from agent_wallet.models import (
    AcceptedEnvelope,
    AwaitingApproval,
    Failure,
    LandedError,
    PolicyViolationError,
    Retry,
    Submitted,
    TransferDryRun,
    TransferReplay,
    TransferRequest,
    TransferEnvelope,
    TransferResult,
)


def signature_of(client: AuthenticatedClient, body: TransferRequest) -> str | None:
    response = sync(client=client, body=body)
    match response:
        case TransferEnvelope(data=data):
            return confirmed_by(data)
        case AcceptedEnvelope(data=data):
            return accepted_by(data)
        case Failure():
            return landed_by(response)
        case None:
            return None
        case _:
            assert_never(response)


def accepted_by(data: AwaitingApproval | Submitted) -> str | None:
    match data:
        case Submitted():
            return data.signature
        case AwaitingApproval():
            raise ValueError(f"The owner decides at {data.approval_url}.")
        case _:
            assert_never(data)


def confirmed_by(data: TransferDryRun | TransferReplay | TransferResult) -> str | None:
    match data:
        case TransferResult():
            return data.signature
        case TransferReplay():
            return data.original_response.signature
        case TransferDryRun():
            return None
        case _:
            assert_never(data)


def landed_by(failure: Failure) -> str | None:
    match failure.data:
        case LandedError(signature=signature):
            return signature
        case PolicyViolationError(limit_usd=limit_usd):
            raise ValueError(f"The limit is {limit_usd} USD.")
        case _:
            return None


def is_public(failure: Failure) -> bool:
    code = failure.data.code
    match code:
        case (
            "VALIDATION_ERROR"
            | "INVALID_IDEMPOTENCY_KEY"
            | "UNKNOWN_TOKEN"
            | "INVALID_ADDRESS"
            | "INSUFFICIENT_FUNDS"
            | "UNSAFE_TOKEN"
            | "NO_ROUTE"
            | "MARKET_CLOSED"
            | "MARKET_PAUSED"
            | "NO_LIQUIDITY"
            | "INSUFFICIENT_POSITION"
            | "SLIPPAGE_EXCEEDED"
            | "TRANSACTION_FAILED"
            | "AUTHENTICATION_ERROR"
            | "POLICY_VIOLATION"
            | "NOT_FOUND"
            | "METHOD_NOT_ALLOWED"
            | "IDEMPOTENCY_IN_PROGRESS"
            | "IDEMPOTENCY_KEY_EXPIRED"
            | "PAYLOAD_TOO_LARGE"
            | "UNSUPPORTED_MEDIA_TYPE"
            | "IDEMPOTENCY_MISMATCH"
            | "RATE_LIMIT_EXCEEDED"
            | "INTERNAL_ERROR"
            | "UPSTREAM_ERROR"
            | "UNSAFE_TRANSACTION"
            | "SERVICE_UNAVAILABLE"
            | "UPSTREAM_TIMEOUT"
            | "TRANSACTION_EXPIRED"
            | "POLICY_LOOSENING_NEEDS_OWNER"
            | "OWNER_REQUIRED"
            | "ASSERTION_INVALID"
            | "APPROVAL_CLOSED"
            | "OWNERS_NOT_CONFIGURED"
            | "APPROVAL_REJECTED"
            | "APPROVAL_EXPIRED"
        ):
            return is_repeated(failure.data.retry)
        case _:
            assert_never(code)


def is_repeated(retry: Retry) -> bool:
    match retry:
        case "same_key" | "new_key":
            return True
        case "never":
            return False
        case _:
            assert_never(retry)
