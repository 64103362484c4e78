import { formatAmount, isTokenScope, parseAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import type { TokenGrant } from '../token.js';
import type { ApprovalTerms } from './document.js';

type TokenTerms = ApprovalTerms['token'];

/** Returns a grant as an owner signs it. */
export function tokenTerms(grant: TokenGrant): TokenTerms {
  const usd = (micros: bigint | undefined) => (micros === undefined ? undefined : formatAmount(micros, USD_DECIMALS));
  return {
    name: grant.name,
    scopes: grant.scopes.join(' '),
    recipients: grant.recipients?.join(' '),
    maxSingleUsd: usd(grant.maxSingleUsdMicros),
    dailyUsd: usd(grant.dailyUsdMicros),
    totalUsd: usd(grant.totalUsdMicros),
    expiresAt: new Date(grant.expiresAtMs).toISOString(),
  };
}

/** Returns the grant that a signed document states. */
export function grantOf(terms: TokenTerms): TokenGrant {
  const micros = (usd: string | undefined) => (usd === undefined ? undefined : parseAmount(usd, USD_DECIMALS));
  return {
    name: terms.name,
    scopes: terms.scopes.split(' ').filter(isTokenScope),
    recipients: terms.recipients?.split(' '),
    maxSingleUsdMicros: micros(terms.maxSingleUsd),
    dailyUsdMicros: micros(terms.dailyUsd),
    totalUsdMicros: micros(terms.totalUsd),
    expiresAtMs: Date.parse(terms.expiresAt),
  };
}
