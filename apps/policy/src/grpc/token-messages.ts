import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { SentGrant, Token } from '../domain/token.js';
import type { TokenKey } from '../ports/token-store.js';
import { readUuid } from './messages.js';

/** Reads a token of an agent. @throws AppError VALIDATION_ERROR */
export function readKey({ agentId, tokenId }: TokenKey): TokenKey {
  return { agentId: readUuid('agentId', agentId), tokenId: readUuid('tokenId', tokenId) };
}

/** Reads what a token is to allow. @throws AppError VALIDATION_ERROR */
export function readGrant(sent: policyV1.TokenGrant | undefined): SentGrant {
  if (!sent) throw AppError.field('grant', 'is required', 'required');
  const { recipients, expiresAtMs, ...grant } = sent;
  return { ...grant, recipients: recipients?.addresses, expiresAtMs: Number(expiresAtMs) };
}

/** Converts a token to its wire form. */
export function tokenMessage(token: Token): policyV1.Token {
  const { id: tokenId, createdAtMs, usedTodayUsdMicros, usedUsdMicros, ...grant } = token;
  const { scopes, recipients, expiresAtMs, ...limits } = grant;
  return {
    tokenId,
    createdAtMs: BigInt(createdAtMs),
    usedTodayUsdMicros,
    usedUsdMicros,
    grant: {
      ...limits,
      scopes: [...scopes],
      recipients: recipients && { addresses: [...recipients] },
      expiresAtMs: BigInt(expiresAtMs),
    },
  };
}
