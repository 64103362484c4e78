import { type Part, POLICY_RULES } from '@agent-wallet/kernel';
import type { RouteContract } from '../../api/route.js';
import { type DocumentFacts, networkSentence, SERVICE_NAME } from './about.js';
import { CommonErrors } from './common-errors.js';
import { errorGuide } from './error-guide.js';
import { usesOf } from './llms.js';
import { limitGuide } from './limit-guide.js';
import { quickStart } from './quick-start.js';
import { routeGuide } from './skill-routes.js';

/** Returns skill.md: the guide for agents, generated from the routes' contracts. */
export function skillDocument(routes: readonly RouteContract[], facts: DocumentFacts): string {
  const errors = new CommonErrors(routes);
  const sections = [
    introduction(facts),
    quickStart(facts),
    authentication(facts),
    RESPONSES,
    errorGuide(errors, POLICY_RULES),
    rules(facts.parts),
    dryRuns(routes),
    limitGuide(facts.rateLimits),
    routeGuide(routes, errors),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function introduction({ publicUrl, network, parts }: DocumentFacts): string {
  return `---
name: ${SERVICE_NAME}
description: Use this to ${usesOf(parts)} on Solana, within limits.
---

# Agent Wallet

The service holds the keys and signs. It checks a policy (limits, recipients, switches) first.

Base address: \`${publicUrl}\`. ${networkSentence(network)}
`;
}

function authentication({ keyCustody }: DocumentFacts): string {
  return `## Authentication

Send \`Authorization: Bearer <sessionToken>\`. On \`AUTHENTICATION_ERROR\` log in again.
It can do all this, **change the policy included**: keep it secret.

${keyCustody} \`GET /attestation\` proves what guards them; the driver \`software\` there proves nothing.
`;
}

const RESPONSES = `## Responses and retries

Success: \`{"status":true,"statusCode":200,"message":"…","data":{…}}\`. Failure: \`status\` is false, and \`data\` has \`code\`, \`requestId\`,
\`retryable\`, \`retry\`, \`retryAt\`, \`suggestion\`, and where they apply \`details\` (\`[{"field","reason","problem"}]\`)
and \`transactionId\`.

| \`retry\` | Next attempt |
|---|---|
| \`same_key\` | the same request with the same \`Idempotency-Key\`, after \`retryAt\` or \`Retry-After\`; after a 401 log in first |
| \`new_key\` | the same request with a new key: this operation is over |
| \`never\` | only a corrected request, with a new key |

- **No response, or one without this envelope**: repeat with the **same** key. It never runs twice.
- **202** (\`transactionStatus\` is \`submitted\`): the outcome is open. Read \`GET /wallets/me/history/{transactionId}\` or repeat with the **same** key. A new key could pay twice.
- **202**, \`awaiting_approval\`: nothing is sent until the owner approves it (\`approvalUrl\`) before \`expiresAt\`. Ask the
  owner, then repeat with the **same** key: 202 until then, later 200 or 403.
- **\`transactionId\` in a failure**: the final response of that operation. Without it this request began nothing, but an earlier one
  with the same key may still be open: keep the key.
- A repeat of a finished request has \`Idempotency-Status: cached\` and
  \`data\` \`{"cached":true,"originalResponse":{…}}\`. A key is kept for 24 hours
  after its final response. **Later it is a new request and pays again**: look in history first.
`;

/** Returns the rules that a deployment with these parts needs. */
function rules(parts: readonly Part[]): string {
  const lines = RULES.filter(({ part }) => part === undefined || parts.includes(part));
  return `## Rules

${lines.map(({ text }) => text).join('\n')}
`;
}

const RULES: ReadonlyArray<{ readonly part?: Part; readonly text: string }> = [
  {
    text: `- Numbers are JSON numbers: \`64.1\`. \`amount\` is in the token's standard unit; \`…Raw\` is exact, in base units;
  \`…Usd\` and \`…Dollars\` are US dollars; \`…Cents\`, \`…Lamports\`, \`…Bps\` say their unit. Unknown fields are rejected. Times are ISO 8601, UTC.`,
  },
  {
    text: `- A token is a symbol or a mint. SOL, USDC, USDT, JUP, BONK, WIF, RAY and ORCA match in any case; other symbols match exactly, if
  verified. \`mint: null\` is SOL.`,
  },
  {
    text: `- \`maxSingleTransactionInUsd\` limits one transaction, \`dailyLimitInUsd\` all of a rolling 24 hours. \`usedUsd\` includes
  \`reservedUsd\`, the value of operations whose outcome is open. Rent counts, too.`,
  },
  {
    text: `- A scoped token reads its own limits in \`grant\` of \`GET /wallets/me\`. A refusal by a limit names \`maxAmountNow\`, an amount that passes.`,
  },
  { text: `- \`allowedRecipients\` limits transfers, not trades or bets.` },
  {
    text: `- \`transactionStatus\`: \`confirmed\`, \`cancelled\`, \`submitted\`, \`awaiting_approval\`, \`dry_run\`. In history, a
  \`pending\` deposit can be spent but is not final. An order is \`filled\`, \`partially_filled\` or \`cancelled\`.
  New values may appear.`,
  },
  {
    text: `- Transfers: an operator's \`fee\` is added to the amount, or deducted if the balance does not cover both (\`feeMode\`). A wallet
  with too little SOL is sponsored, within bounds; trades are not. \`slippageBps\`: 10 for stable pairs, 50 mostly, 300 if illiquid.`,
  },
  {
    part: 'trading',
    text: `- A trade that brings less than 90 % of its input, at market prices, is refused (\`trade_unfair\`) unless
  \`maxPriceImpactPercent\` (slippage on top) or \`allowUnpricedOutput\` allows it.`,
  },
  {
    part: 'liquidity',
    text: `- Liquidity: both tokens of a pool go in, at its ratio. Adding counts towards the limits; removing does not.`,
  },
  {
    part: 'predictions',
    text: `- Predictions: a winning contract pays 1 USD. A buy takes USDC for its worst case and returns the rest. Without
  a limit the book's price plus a tolerance applies. Settled markets pay into the prediction balance; withdraw it.`,
  },
  {
    text: `- \`cursor\` or \`nextCursor\` of a response gets the next page; empty or null at
  the end. With \`order=recorded\` it never is: stop at \`hasMore: false\` and keep it. Remove a
  deposit that is \`dropped\`.`,
  },
];

/** Returns the section on the fields of a dry run beyond those of its route. */
function dryRuns(routes: readonly RouteContract[]): string {
  const example = routes.find((contract) => contract.example?.dryRun)?.example;
  if (!example?.dryRun) return '';
  const done = example.response as object;
  const looked = Object.entries(example.dryRun) as [string, unknown][];
  // Results of prediction orders have no network fee; their dry runs do.
  const shown = ['status', 'networkFeeLamports'];
  const added = looked
    .filter(([name]) => !Object.hasOwn(done, name) || shown.includes(name))
    .map(([name, value]) => [name, Array.isArray(value) ? (value as unknown[]).slice(0, 1) : value]);
  return `## Dry run

\`?dryRun=true\` reserves, signs and records nothing. \`data\` has the fields of the route and (\`transactionId\` is null):
\`${JSON.stringify(Object.fromEntries(added)).replace(/\w{32,}/g, (word) => `${word.slice(0, 4)}…`)}\`
`;
}
