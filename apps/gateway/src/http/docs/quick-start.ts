const RECIPIENT = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

/** The way from nothing to a transfer, a trade and a position, as commands that run one after the other. A test runs them. */
export function quickStart(publicUrl: string): string {
  return `## Quick start

With \`curl\` and \`sed\`. First, six digits are mailed to the owner of the address:

\`\`\`sh
API=${publicUrl}
EMAIL=owner@example.com
JSON='Content-Type: application/json'
field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }

OTP_ID=$(curl -s "$API/connect/start" -H "$JSON" -d "{\\"email\\":\\"$EMAIL\\"}" | field otpId)
\`\`\`

They are exchanged for a token. The first login makes the wallet:

\`\`\`sh
OTP_CODE=482913 # the digits of the mail
LOGIN="{\\"email\\":\\"$EMAIL\\",\\"otpId\\":\\"$OTP_ID\\",\\"otpCode\\":\\"$OTP_CODE\\"}"
SESSION=$(curl -s "$API/connect/complete" -H "$JSON" -d "$LOGIN")
AUTH="Authorization: Bearer $(echo "$SESSION" | field sessionToken)"
WALLET=$(echo "$SESSION" | field solanaAddress)
\`\`\`

Send money to \`$WALLET\`. Then see it, ask what a transfer would come to, send it with a key that is new for every new
transfer, and see what happened:

\`\`\`sh
curl -s "$API/wallets/me/balances" -H "$AUTH"
ORDER='{"to":"${RECIPIENT}","amount":1.5,"mint":"USDC"}'
curl -s "$API/wallets/me/actions/transfer?dryRun=true" -H "$AUTH" -H "$JSON" -d "$ORDER"
curl -s "$API/wallets/me/actions/transfer" -H "$AUTH" -H "$JSON" -H 'Idempotency-Key: order-7' -d "$ORDER"
curl -s "$API/wallets/me/history" -H "$AUTH"
\`\`\`

And make SOL of USDC, or any token of another:

\`\`\`sh
TRADE='{"from":"USDC","to":"SOL","amount":1,"slippageBps":50}'
curl -s "$API/wallets/me/actions/trade" -H "$AUTH" -H "$JSON" -H 'Idempotency-Key: trade-1' -d "$TRADE"
\`\`\`
${takeASide()}`;
}

/** From a market to a position. */
function takeASide(): string {
  return `
Or take a side in a prediction market: find one, see what a contract would cost, buy one, and see what you hold:

\`\`\`sh
TICKER=$(curl -s "$API/predictions/markets?status=open&tradeable_only=true&limit=20" -H "$AUTH" | field ticker)
BET="{\\"ticker\\":\\"$TICKER\\",\\"side\\":\\"yes\\",\\"count\\":1}"
curl -s "$API/predictions/buy?dryRun=true" -H "$AUTH" -H "$JSON" -d "$BET"
curl -s "$API/predictions/buy" -H "$AUTH" -H "$JSON" -H 'Idempotency-Key: bet-1' -d "$BET"
curl -s "$API/predictions/positions" -H "$AUTH"
\`\`\`
`;
}
