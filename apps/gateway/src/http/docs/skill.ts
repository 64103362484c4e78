import { type ErrorCode, errorEntry } from '@agent-wallet/kernel';
import type { z } from 'zod';
import type { RateLimits } from '../../domain/rate-limits.js';
import { envelopeErrors, type RouteContract } from '../contract/route.js';
import { POLICY_RULES } from '../contract/policy-records.js';
import { requestFields } from './named-schemas.js';
import { quickStart } from './quick-start.js';

/** What the documents say beyond the routes. */
export interface DocumentFacts {
  readonly publicUrl: string;
  readonly rateLimits: RateLimits;
  readonly keyCustody: string;
}

/** skill.md: what an agent needs, made from the routes' contracts. */
export function skillDocument(routes: readonly RouteContract[], facts: DocumentFacts): string {
  const areas = [...new Set(routes.map((contract) => contract.area))];
  return [
    introduction(facts),
    '## Endpoints\n',
    ...areas.flatMap((area) => [
      `### ${area}\n`,
      ...routes.filter((contract) => contract.area === area).map((contract) => endpoint(contract)),
    ]),
    errorGuide(routes),
    limits(facts.rateLimits),
  ].join('\n');
}

function introduction({ publicUrl, keyCustody }: DocumentFacts): string {
  return `# Agent Wallet

A wallet on Solana for an autonomous agent. The service holds the keys and signs; you call actions. A policy (limits,
allowed recipients, switches) is checked before anything is signed.

Base address: \`${publicUrl}\`

${quickStart(publicUrl)}
## Authentication

Every endpoint marked *bearer* takes \`Authorization: Bearer <sessionToken>\`. A missing, bad, expired or revoked token is
a 401: log in again. Tokens are JWTs (ES256; keys at \`/.well-known/jwks.json\`).

## Keys and trust

${keyCustody} \`GET /attestation\` says what guards them at this
moment, with evidence that can be verified; the driver \`software\` there means that nothing but a file does. Neither the
agent nor the API ever sees a key. The token can do everything listed here, **changing its own
policy included**: whoever holds the token can raise the limits.

## Answers

\`{"status":true,"statusCode":200,"message":"…","data":{…}}\`, and for failures
\`{"status":false,"statusCode":…,"message":"…","data":{"code":"…","requestId":"…","retryable":…,"details":[{"field":"…","reason":"…"}]}}\`.
Amounts are JSON numbers in the token's standard unit; \`amountRaw\` beside them is exact, in base units. Numbers in
requests are read by their decimal digits: send \`64.1\`, not \`"64.1"\`. Fields that are not listed are refused. Times are
ISO 8601 in UTC.
`;
}

function endpoint(contract: RouteContract): string {
  const { method, path, auth, summary, notes, example, plain, accepted } = contract;
  const lines = [`#### ${method} ${path}\n`, `${summary}. Auth: ${auth === 'bearer' ? '*bearer*' : 'none'}.\n`];
  if (notes) lines.push(`${notes}\n`);
  lines.push(...fieldTable('Query', contract.query), ...fieldTable('Body', contract.body));
  if (example?.request) lines.push(`Request:\n\n\`\`\`json\n${example.request}\n\`\`\`\n`);
  if (example) lines.push(`\`data\` of the response:\n\n\`\`\`json\n${pretty(example.response)}\n\`\`\`\n`);
  if (example?.dryRun) lines.push(`\`data\` of a dry run:\n\n\`\`\`json\n${pretty(example.dryRun)}\n\`\`\`\n`);
  if (accepted) lines.push(`202 instead of 200: the outcome is not known yet; see "Errors and retries".\n`);
  if (!plain)
    lines.push(
      `Errors: ${envelopeErrors(contract)
        .map((code) => `\`${code}\``)
        .join(', ')}\n`,
    );
  return lines.join('\n');
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly description?: string;
}

function fieldTable(title: string, schema: z.ZodType | undefined): string[] {
  if (!schema) return [];
  const { properties, required } = requestFields(schema);
  const rows = Object.entries(properties).map(([name, field]: [string, Property]) => {
    const kind = field.enum ? field.enum.map((value) => `\`${value}\``).join(', ') : (field.type ?? '');
    const need = required.includes(name) ? 'yes' : field.default === undefined ? 'no' : `no (${String(field.default)})`;
    return `| ${name} | ${kind} | ${need} | ${field.description ?? ''} |`;
  });
  return rows.length === 0 ? [] : [`| ${title} | Type | Required | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`];
}

function pretty(json: string): string {
  return json.length < 100 ? json : JSON.stringify(JSON.parse(json), null, 2);
}

function errorGuide(routes: readonly RouteContract[]): string {
  const codes = [...new Set(routes.flatMap((contract) => envelopeErrors(contract)))];
  const extra: ErrorCode[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];
  const all = [...new Set([...codes, ...extra])].sort((a, b) => errorEntry(a).http - errorEntry(b).http);
  const rows = all.map((code) => `| ${errorEntry(code).http} | ${code} | ${errorEntry(code).message} |`);
  return `## Errors and retries

| HTTP | \`code\` | Meaning |
|---|---|---|
${rows.join('\n')}

- **No answer** (timeout, lost connection): repeat the same request with the **same** \`Idempotency-Key\`. It never executes
  twice; you get what really happened.
- **A 5xx without the envelope above** comes from a proxy in between, not from this service, and so does a 4xx without it:
  treat it as no answer and repeat with the **same** key.
- **A 5xx with \`transactionId\`** is the final answer of that operation: nothing moved and nothing will. Repeat with a
  **new** key. A 4xx with \`transactionId\` is final, too: correct the request first.
- **A 5xx with the envelope and without \`transactionId\`**: this request began nothing, and says nothing of an earlier one
  with its key. Repeat with the **same** key: that is always safe.
- **A key that was sent and got no answer, or a 202, keeps its operation.** A later 401, 409, 429 or 5xx without
  \`transactionId\` ends nothing: log in or wait, and repeat with the **same** key. Under a new one it could happen twice.
- **202**: submitted, outcome not known yet. Read \`GET /wallets/me/history/{transactionId}\`, or repeat with the same key.
  Do not send it again under a new key.
- **Any other 4xx**: this request began nothing. Correct it, then use a new key, unless an earlier sending is still
  unanswered. 409: the same key is still running; wait \`Retry-After\` seconds.
- **403 POLICY_VIOLATION** says which \`rule\` refused, \`maxAllowedNowUsd\`, \`resetsAt\` and a \`suggestion\`.
  Rules: ${POLICY_RULES.map((rule) => `\`${rule}\``).join(', ')}.
  \`frozen\` means that the operator has stopped payments: nothing that you change lets it pass.
- **400 INSUFFICIENT_FUNDS** with \`missingLamports\`: the wallet has too little SOL for network fee and rent, and the
  operator does not pay more for it now. Send SOL to the wallet.
- **400 SLIPPAGE_EXCEEDED**: the price moved further than \`slippageBps\` tolerates. Nothing was traded; send it again with
  a new key for a new quote, or tolerate more.
- **400 NO_LIQUIDITY**, **MARKET_CLOSED**, **MARKET_PAUSED** on a buy: nothing was taken, or \`signature\` and
  \`refundSignature\` name the transactions that took USDC and brought it back.
- Not sure? Send the request with \`?dryRun=true\` first: the answer says what it would come to, and nothing is done.
- A key is kept for 24 hours after the final answer; a repeat is answered with \`Idempotency-Status: cached\` and
  \`{"cached":true,"originalResponse":{…}}\`. The same key with another body is a 422.
- **429**: wait \`Retry-After\` seconds.
`;
}

function limits(limit: RateLimits): string {
  return `## Limits

| Limit | Value |
|---|---|
| Requests per client address | ${limit.clientPerMinute} a minute |
| Requests per agent | ${limit.agentPerMinute} a minute |
| Login codes per e-mail address | ${limit.otpsPerTenMinutes} in 10 minutes, then blocks of 10 minutes, 1, 6 and 24 hours |
| Tries per login code | ${limit.triesPerOtp} |
| Wrong login codes per client address | ${limit.wrongOtpsPerHour} an hour, then none of that address is looked at until it is over |
| Size of a body | 64 KiB |

\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds) stand on every counted answer.
`;
}
