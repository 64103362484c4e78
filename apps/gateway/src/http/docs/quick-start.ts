import type { SolanaNetwork } from '@agent-wallet/kernel';
import type { DocumentFacts } from './about.js';

/**
 * Returns commands that run one after the other, from nothing to a transfer, a trade and a position. A test runs them.
 */
export function quickStart(facts: DocumentFacts): string {
  return `## Quick start

With \`curl\`. Set \`EMAIL\` to the address that gets login codes, and \`RECIPIENT\` to the wallet that you pay. Then run each block as it is.

\`\`\`sh
API=${facts.publicUrl} JSON='Content-Type: application/json'
field() { grep -o "\\"$1\\":\\"[^\\"]*\\"" | head -n 1 | cut -d '"' -f 4; }
key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \\n'; } # a new idempotency key
OTP_ID=$(curl -s "$API/connect/start" -H "$JSON" -d "{\\"email\\":\\"\${EMAIL:?}\\"}" | field otpId)
\`\`\`

Set \`OTP_CODE\` to the code of the mail${mailOf(facts)}. The first login creates the wallet.

\`\`\`sh
LOGIN="{\\"email\\":\\"$EMAIL\\",\\"otpId\\":\\"$OTP_ID\\",\\"otpCode\\":\\"\${OTP_CODE:?}\\"}"
SESSION=$(curl -s "$API/connect/complete" -H "$JSON" -d "$LOGIN")
AUTH="Authorization: Bearer $(echo "$SESSION" | field sessionToken)"
WALLET=$(echo "$SESSION" | field solanaAddress)
get() { curl -sw '\\n' "$API$1" -H "$AUTH"; }
post() { curl -sw '\\n' "$API$1" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: $2" -d "$3"; }
\`\`\`

${funding(facts)}
Try a transfer out, and send it. Each takes a new key; keep it until the outcome is known.

\`\`\`sh
get /wallets/me/balances
ORDER="{\\"to\\":\\"\${RECIPIENT:?}\\",\\"amount\\":1.5,\\"mint\\":\\"USDC\\"}"
post '/wallets/me/actions/transfer?dryRun=true' "$(key)" "$ORDER"
KEY=$(key)
post /wallets/me/actions/transfer "$KEY" "$ORDER"
get /wallets/me/history
\`\`\`

${facts.parts.includes('trading') ? TRADING : ''}${facts.parts.includes('predictions') ? BETTING : ''}`;
}

const TRADING = `Trade USDC for SOL:

\`\`\`sh
post /wallets/me/actions/trade "$(key)" '{"from":"USDC","to":"SOL","amount":1,"slippageBps":50}'
\`\`\`

`;

const BETTING = `Find a market, price a contract, buy it, look:

\`\`\`sh
TICKER=$(get '/predictions/markets?status=open&tradeable_only=true&limit=20' | field ticker)
BET="{\\"ticker\\":\\"$TICKER\\",\\"side\\":\\"yes\\",\\"count\\":1}"
post '/predictions/buy?dryRun=true' "$(key)" "$BET"
post /predictions/buy "$(key)" "$BET"
get /predictions/positions
\`\`\`
`;

/** Says where the mail of a login can be read by a program. */
function mailOf({ network, sandboxAdminUrl }: DocumentFacts): string {
  if (network !== 'sandbox') return '';
  const where = sandboxAdminUrl ?? '$SANDBOX';
  return `: \`GET ${where}/inbox?to=EMAIL\` lists it first in \`messages\`, with its \`text\``;
}

/** Sources of money by network. The sandbox pays any wallet, without a login. */
const FUNDING: Readonly<Record<Exclude<SolanaNetwork, 'sandbox'>, string>> = {
  'mainnet-beta': 'Send SOL and USDC to `$WALLET`.\n',
  devnet: 'Get test money for `$WALLET`: SOL at https://faucet.solana.com, USDC at https://faucet.circle.com.\n',
  testnet: 'Get test SOL for `$WALLET` at https://faucet.solana.com.\n',
  localnet: 'Get test SOL from your validator: `solana airdrop 2 $WALLET`.\n',
};

/** Says how the wallet gets money. */
function funding({ network, sandboxAdminUrl }: DocumentFacts): string {
  if (network !== 'sandbox') return FUNDING[network];
  const where = sandboxAdminUrl === undefined ? ' Set `SANDBOX` to the address that the operator names.' : '';
  return `Get test money.${where}

\`\`\`sh
SANDBOX=${sandboxAdminUrl ?? '${SANDBOX:?}'}
pour() { curl -sw '\\n' "$SANDBOX/faucet" -H "$JSON" -d "{\\"address\\":\\"$WALLET\\",\\"token\\":\\"$1\\",\\"amount\\":$2}"; }
pour SOL 1
pour USDC 250
\`\`\`
`;
}
