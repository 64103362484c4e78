import type { RateLimits } from '../../domain/rate-limits.js';
import type { RouteContract } from '../contract/route.js';
import { requestFields } from './request-fields.js';

/** Rate limits, and the bounds of every field that has some. */
export function limitGuide(routes: readonly RouteContract[], limit: RateLimits): string {
  return `## Limits

|Limit|Value|
|-|-|
|Requests of a client address|${limit.clientPerMinute} a minute|
|Requests of an agent|${limit.agentPerMinute} a minute|
|Login codes of an e-mail address|${limit.otpsPerTenMinutes} in 10 minutes, then blocks of 10 minutes, 1, 6 and 24 hours|
|Tries of a login code|${limit.triesPerOtp}|
|Wrong login codes of a client address|${limit.wrongOtpsPerHour} an hour|
|Body|64 KiB|
|\`Idempotency-Key\`|1–128 printable characters|
|Fields|${boundsOf(routes).join('; ')}|

Counted responses carry \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds).
`;
}

/** Numeric fields and texts bounded in bytes, each once. */
function boundsOf(routes: readonly RouteContract[]): string[] {
  const variants = new Map<string, string[]>();
  for (const field of routes.flatMap((contract) => requestFields(contract))) {
    const bounds = /^(?:integer|number) (\d.*)$/.exec(field.kind)?.[1] ?? /at most \d+ bytes/.exec(field.meaning)?.[0];
    if (bounds === undefined) continue;
    const text = field.default === undefined ? bounds : `${bounds}, default ${field.default}`;
    variants.set(field.name, [...(variants.get(field.name) ?? []), text]);
  }
  return [...variants].map(([name, texts]) => {
    const isSame = new Set(texts).size === 1;
    return `\`${name}\` ${isSame ? texts[0] : 'as its route says'}`;
  });
}
