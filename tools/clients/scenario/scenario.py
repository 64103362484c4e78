"""Does what `npm run clients -- --scenario` compares, through the Python SDK."""

import json
import os
import re
import time
import urllib.request

from agent_wallet import ApiError, FileStore, WalletOptions, log_in

ENV = os.environ
USDC = "USDC"


def refusal(ask):
    """Returns the refusal of a call."""
    try:
        ask()
        return None
    except ApiError as error:
        data = error.data
        return {"code": error.code, "retry": error.retry, "rule": data.get("rule"), "version": data.get("version")}


def raws(tokens):
    """Returns the exact amounts of tokens."""
    return [f"{token['amountRaw']} {token['symbol']}" for token in tokens]


def ended(wallet):
    """Returns the actions and states of history, the oldest first, once all have ended."""
    while True:
        records = list(wallet.history())
        if all(record["status"] not in ("pending", "submitted") for record in records):
            return [f"{each['action']} {each['status']} {each['amountRaw'] or 'null'}" for each in reversed(records)]
        time.sleep(0.2)


def first_events(wallet, count):
    """Returns the types of the first changes."""
    types = []
    for event in wallet.events(after=0):
        if event.type == "change":
            types.append(event.event_type)
        if len(types) == count:
            return sorted(types)


def mailed_code(_):
    """Returns the code that was mailed last."""
    with urllib.request.urlopen(f"{ENV['SANDBOX']}/inbox?to={ENV['EMAIL']}") as inbox:
        return re.search(r"\d{6}", json.load(inbox)["messages"][0]["text"]).group()


with log_in(WalletOptions(ENV["API"], store=FileStore(ENV["STORE"])), ENV["EMAIL"], mailed_code).wallet as wallet:
    to = ENV["TO"]
    claimed = wallet.me()["claimed"]
    balances = wallet.balances()
    dry = wallet.dry_run.transfer(to=to, amount="0.3", mint=USDC)
    first = wallet.transfer(to=to, amount="0.3", mint=USDC, key="invoice-1")
    again = wallet.transfer(to=to, amount="0.3", mint=USDC, key="invoice-1")
    exact = wallet.transfer(to=to, amount=700_001, mint=USDC)
    too_much = refusal(lambda: wallet.transfer(to=to, amount="101", mint=USDC))
    nowhere = refusal(lambda: wallet.transfer(to="x", amount="1", mint=USDC))
    traded = wallet.trade(from_=USDC, to="SOL", amount="25", slippage_bps=100)
    added = wallet.liquidity.add(pool=ENV["POOL"], token=USDC, amount="5")
    removed = wallet.liquidity.remove(position_id=added["positionId"], percent=100)
    bought = wallet.predictions.buy(ticker=ENV["TICKER"], side="yes", count=3)
    sold = wallet.predictions.sell(ticker=ENV["TICKER"], side="yes", count=1)
    version = wallet.policy.get()["version"]
    changed = wallet.policy.update({"dailyLimitInUsd": 400}, version=version)
    stale = refusal(lambda: wallet.policy.update({"dailyLimitInUsd": 300}, version=version))
    wallet.policy.update({"approveAboveInUsd": 50})
    approved = wallet.transfer(to=to, amount="60", mint=USDC)
    rejected = refusal(lambda: wallet.transfer(to=to, amount="61", mint=USDC))
    proposed = wallet.policy.propose({"dailyLimitInUsd": 900}, "more")
    wallet.approvals.withdraw(proposed["approval"]["id"])
    approvals = [f"{each['kind']} {each['state']}" for each in wallet.approvals.list()]
    end = wallet.balances()
    result = {
        "claimed": claimed,
        "sol": balances["sol"]["amountRaw"],
        "usdc": balances["tokens"][0]["amountRaw"],
        "dry": [dry["transactionStatus"], dry["amountRaw"], dry["policy"]["allowed"]],
        "paid": [first["amountSentRaw"], exact["amountSentRaw"], first["transactionId"] == again["transactionId"]],
        "refused": [too_much, nowhere],
        "traded": [traded["inputAmountRaw"], traded["outputAmountRaw"]],
        "liquidity": [raws(added["spent"]), raws(removed["received"])],
        "contracts": [bought["count"], bought["status"], sold["count"], sold["status"]],
        "policy": [changed["version"] - version, changed["policy"]["dailyLimitInUsd"], stale["code"], stale["version"] - version],
        "approvals": [approved["amountSentRaw"], rejected, approvals],
        "history": ended(wallet),
        "events": first_events(wallet, 2),
        "left": [end["sol"]["amountRaw"], end["tokens"][0]["amountRaw"]],
    }
    print(json.dumps(result, default=float))
