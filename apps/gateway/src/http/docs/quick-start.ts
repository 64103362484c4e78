import type { DocumentFacts } from './about.js';

/**
 * Returns commands that run one after the other, from nothing to a transfer, a trade and a position. A test runs them.
 */
export function quickStart({ publicUrl, network }: DocumentFacts): string {
  const hasTestMoney = network === 'sandbox';
  return `## Quick start

With \`curl\` and \`sed\`. Set \`EMAIL\` to the owner's address and \`RECIPIENT\` to the wallet that you pay.

\`\`\`sh
API=${publicUrl} JSON='Content-Type: application/json'
field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
OTP_ID=$(curl -s "$API/connect/start" -H "$JSON" -d "{\\"email\\":\\"\${EMAIL:?}\\"}" | field otpId)
\`\`\`

Set \`OTP_CODE\` to the six digits mailed to the owner. The first login creates the wallet.

\`\`\`sh
LOGIN="{\\"email\\":\\"$EMAIL\\",\\"otpId\\":\\"$OTP_ID\\",\\"otpCode\\":\\"\${OTP_CODE:?}\\"}"
SESSION=$(curl -s "$API/connect/complete" -H "$JSON" -d "$LOGIN")
AUTH="Authorization: Bearer $(echo "$SESSION" | field sessionToken)"
WALLET=$(echo "$SESSION" | field solanaAddress)
get() { curl -s "$API$1" -H "$AUTH"; }
post() { curl -s "$API$1" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: $2" -d "$3"; } # path, key, body
\`\`\`

Send SOL and USDC to \`$WALLET\`${hasTestMoney ? ' (see "Test money")' : ''}. Then try a transfer out and send it. Each transfer takes a key of its own.

\`\`\`sh
get /wallets/me/balances
ORDER="{\\"to\\":\\"\${RECIPIENT:?}\\",\\"amount\\":1.5,\\"mint\\":\\"USDC\\"}"
post '/wallets/me/actions/transfer?dryRun=true' order-7 "$ORDER"
post /wallets/me/actions/transfer order-7 "$ORDER"
get /wallets/me/history
\`\`\`

Trade USDC for SOL:

\`\`\`sh
post /wallets/me/actions/trade trade-1 '{"from":"USDC","to":"SOL","amount":1,"slippageBps":50}'
\`\`\`

Find a market, price a contract, buy it, look:

\`\`\`sh
TICKER=$(get '/predictions/markets?status=open&tradeable_only=true&limit=20' | field ticker)
BET="{\\"ticker\\":\\"$TICKER\\",\\"side\\":\\"yes\\",\\"count\\":1}"
post '/predictions/buy?dryRun=true' bet-1 "$BET"
post /predictions/buy bet-1 "$BET"
get /predictions/positions
\`\`\`
`;
}

/** Returns the section on how an agent gets money that is worth nothing; empty where money comes from outside. */
export function testMoney({ network, sandboxAdminUrl }: DocumentFacts): string {
  if (network !== 'sandbox') return '';
  const where = sandboxAdminUrl === undefined ? 'the address that the operator names' : `\`${sandboxAdminUrl}\``;
  return `## Test money

The sandbox pays any wallet, without a login, at ${where}:

\`\`\`sh
SANDBOX=${sandboxAdminUrl ?? '${SANDBOX:?}'}
pour() { curl -s "$SANDBOX/faucet" -H "$JSON" -d "{\\"address\\":\\"$WALLET\\",\\"token\\":\\"$1\\",\\"amount\\":$2}"; }
pour SOL 1
pour USDC 250
\`\`\`

\`GET $SANDBOX/inbox?to=EMAIL\` lists mails in \`messages\`, the newest first. The login code is the six digits in \`text\`.
`;
}
