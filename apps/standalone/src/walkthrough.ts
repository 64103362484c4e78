/** Returns commands for a shell in the folder of the repository: an agent logs in, is funded, transfers, trades and buys. */
export function walkthrough(url: string, adminUrl: string): string {
  return `PATH=$PWD/node_modules/.bin:$PATH SANDBOX=${adminUrl}
export AW_API=${url}
json() { node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }

# Log in: the login code arrives in the sandbox inbox.
aw login --email agent@example.com --start
aw login --code $(curl -s "$SANDBOX/inbox?to=agent@example.com" | json '.messages[0].text.match(/[0-9]{6}/)[0]')

# Receive 1 SOL and 250 USDC from the faucet, and read the balances.
aw faucet 1 SOL
aw faucet 250 USDC
aw balance

# Transfer 12.5 USDC, trade 25 USDC for SOL, buy 3 prediction contracts, and read the history.
TO=8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc
aw send 12.5 USDC $TO
aw trade 25 USDC SOL
aw buy $(aw markets --limit 1 --json | json .markets[0].ticker) yes 3
aw history

# Try 101 USDC: the policy limits one transaction to 100 dollars. The exit code of such a refusal is 3.
aw send 101 USDC $TO || echo $?`;
}

/** Returns the same with curl alone, for clients in other languages. */
export function curlWalkthrough(url: string, adminUrl: string): string {
  return `API=${url} SANDBOX=${adminUrl}
json() { node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }
post() { curl -s "$1" -H 'content-type: application/json' -H "authorization: Bearer $TOKEN" -d "$2"; echo; }
get() { curl -s "$1" -H "authorization: Bearer $TOKEN"; echo; }

# Log in: the login code arrives in the sandbox inbox.
OTP_ID=$(post $API/connect/start '{"email":"agent@example.com"}' | json .data.otpId)
CODE=$(get "$SANDBOX/inbox?to=agent@example.com" | json '.messages[0].text.match(/[0-9]{6}/)[0]')
TOKEN=$(post $API/connect/complete "{\\"email\\":\\"agent@example.com\\",\\"otpId\\":\\"$OTP_ID\\",\\"otpCode\\":\\"$CODE\\"}" | json .data.sessionToken)
WALLET=$(post $API/connect/validate '{}' | json .data.chainAddress)

# Receive 1 SOL and 250 USDC from the faucet, and read the balances.
post $SANDBOX/faucet "{\\"address\\":\\"$WALLET\\",\\"token\\":\\"SOL\\",\\"amount\\":1}"
post $SANDBOX/faucet "{\\"address\\":\\"$WALLET\\",\\"token\\":\\"USDC\\",\\"amount\\":250}"
get $API/wallets/me/balances

# Transfer 12.5 USDC, trade 25 USDC for SOL, buy 3 prediction contracts, and read the history.
TO=8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc
post $API/wallets/me/actions/transfer "{\\"to\\":\\"$TO\\",\\"amount\\":12.5,\\"mint\\":\\"USDC\\"}"
post $API/wallets/me/actions/trade '{"from":"USDC","to":"SOL","amount":25}'
TICKER=$(get "$API/predictions/markets?status=open&tradeable_only=true" | json .data.markets[0].ticker)
post $API/predictions/buy "{\\"ticker\\":\\"$TICKER\\",\\"side\\":\\"yes\\",\\"count\\":3}"
get $API/wallets/me/history

# Try 101 USDC: the policy limits one transaction to 100 dollars.
post $API/wallets/me/actions/transfer "{\\"to\\":\\"$TO\\",\\"amount\\":101,\\"mint\\":\\"USDC\\"}"`;
}
