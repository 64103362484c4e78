"""Handles each outcome of a transfer, and failures. mypy rejects a missing case."""

from typing import assert_never

from agent_wallet.api.wallet.transfer import sync
from agent_wallet.client import AuthenticatedClient
from agent_wallet.models import (
    AcceptedEnvelope,
    AwaitingApproval,
    Failure,
    LandedError,
    OtherAccepted,
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


def accepted_by(data: AwaitingApproval | OtherAccepted | Submitted) -> str | None:
    match data:
        case Submitted():
            return data.signature
        case AwaitingApproval():
            raise ValueError(f"The owner decides at {data.approval_url}.")
        case OtherAccepted():
            return None
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


def is_repeated(retry: Retry) -> bool:
    match retry:
        case "same_key" | "new_key":
            return True
        case "never":
            return False
        case _:
            assert_never(retry)
