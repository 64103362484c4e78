"""Reads responses with codes, rules, states, actions and fields that the client does not know."""

from agent_wallet.models import (
    AcceptedEnvelope,
    Failure,
    OtherAccepted,
    OtherError,
    OtherTransaction,
    PolicyViolationError,
    TransactionPage,
)

ID = "01938f6e-5b7a-7cc3-98c4-dc0c0c07398f"


def read_tomorrow() -> None:
    """Reads a code, a rule, a state, an action and fields that are not known yet."""
    failure = {"status": False, "statusCode": 403, "message": "No.", "field": 1}
    data = {"requestId": "r", "retryable": False, "retry": "never", "retryAt": None, "suggestion": None}
    unknown = Failure.from_dict({**failure, "data": {**data, "code": "CODE_OF_TOMORROW", "more": {"x": 1}}})
    assert isinstance(unknown.data, OtherError) and unknown.data.code == "CODE_OF_TOMORROW"
    amounts = ["limitUsd", "usedUsd", "reservedUsd", "remainingUsd", "requestedUsd", "maxAllowedNowUsd", "inputUsd"]
    more = ["leastOutputUsd", "lossPercent", "maxLossPercent", "resetsAt"]
    facts = {**data, **dict.fromkeys(amounts + more), "code": "POLICY_VIOLATION", "rule": "rule_of_tomorrow"}
    refusal = Failure.from_dict({**failure, "data": facts})
    assert isinstance(refusal.data, PolicyViolationError) and refusal.data.rule == "rule_of_tomorrow"
    record = {name: None for name in ("asset", "mint", "decimals", "amount", "amountRaw", "signature", "explorerUrl")}
    times = {"createdAt": "2026-11-21T10:02:00.000Z", "updatedAt": "2026-11-21T10:02:00.000Z"}
    other = {**record, **times, "id": ID, "status": "status_of_tomorrow", "action": "action_of_tomorrow", "metadata": {}}
    page = {"transactions": [other], "pagination": {"total": 1, "limit": 1, "offset": 0, "hasMore": False}, "nextCursor": None}
    read = TransactionPage.from_dict(page).transactions[0]
    assert isinstance(read, OtherTransaction) and read.status == "status_of_tomorrow"
    accepted = {"status": True, "statusCode": 202, "message": "", "data": {"status": "s", "transactionStatus": "s", "transactionId": ID}}
    assert isinstance(AcceptedEnvelope.from_dict(accepted).data, OtherAccepted)

if __name__ == "__main__":
    read_tomorrow()
