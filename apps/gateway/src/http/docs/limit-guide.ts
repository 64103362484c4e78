import type { RateLimits } from '../../domain/rate-limits.js';

/** Limits that no route's fields state. */
export function limitGuide(limit: RateLimits): string {
  return `## Limits

|Limit|Value|
|-|-|
|Requests of a client address without a valid session|${limit.clientPerMinute} a minute|
|Requests of an agent, and of each scoped token|${limit.agentPerMinute} a minute|
|Login codes of an address|${limit.otpsPerTenMinutes} in 10 minutes, then blocked for 10 minutes to 24 hours|
|Wrong login codes of 6 digits for a mailbox|${limit.wrongOtpsPerMailboxDay} a day, then codes have 12 digits|
|Tries of a login code|${limit.triesPerOtp}|
|Wrong login codes of a client address|${limit.wrongOtpsPerHour} an hour|
|Body|64 KiB|
|\`Idempotency-Key\`|1–128 printable characters|

Counted responses carry \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` (Unix seconds), and the same as \`RateLimit\` and
\`RateLimit-Policy\`.
`;
}
