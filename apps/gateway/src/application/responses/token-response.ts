import type { policyV1 } from '@agent-wallet/contracts';
import { required } from '../../ports/services.js';
import { orNull } from './cents.js';
import { type ExactJson, isoTime, usdNumber } from './exact-json.js';

/** Returns a scoped token as the API shows it. */
export function tokenResponse(token: policyV1.Token): ExactJson {
  const grant = required(token.grant, 'grant');
  return {
    id: token.tokenId,
    name: grant.name,
    scopes: grant.scopes,
    recipients: grant.recipients?.addresses ?? null,
    maxSingleInUsd: orNull(grant.maxSingleUsdMicros, usdNumber),
    dailyLimitInUsd: orNull(grant.dailyUsdMicros, usdNumber),
    totalLimitInUsd: orNull(grant.totalUsdMicros, usdNumber),
    usedTodayUsd: usdNumber(token.usedTodayUsdMicros),
    usedUsd: usdNumber(token.usedUsdMicros),
    createdAt: isoTime(token.createdAtMs),
    expiresAt: isoTime(grant.expiresAtMs),
  };
}

/** Returns the scoped token that asks; null where none does. */
export function grantResponse({ token }: Pick<policyV1.GetUsageResponse, 'token'>): ExactJson {
  return orNull(token, tokenResponse);
}
