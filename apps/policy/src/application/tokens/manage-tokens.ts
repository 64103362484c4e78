import { AppError, notFound } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import { grantEnded } from '../../domain/refusal.js';
import { checkedGrant, type SentGrant, type Token } from '../../domain/token.js';
import type { TokenKey, TokenStore } from '../../ports/token-store.js';

/** Opens a scoped token of an agent. */
export class OpenToken {
  constructor(private readonly tokens: Pick<TokenStore, 'open'>) {}

  /** @throws AppError VALIDATION_ERROR, POLICY_VIOLATION when too many are live, NOT_FOUND when the agent has no policy */
  execute(key: TokenKey, grant: SentGrant): Promise<Token> {
    return this.tokens.open(key, (nowMs) => checkedGrant(grant, nowMs, isAddress));
  }
}

/** Ends a scoped token at once. */
export class EndToken {
  constructor(private readonly tokens: Pick<TokenStore, 'end'>) {}

  /** @returns the operations that waited for an owner and are void now. @throws AppError NOT_FOUND */
  async execute(key: TokenKey): Promise<string[]> {
    const voided = await this.tokens.end(key);
    if (!voided) throw notFound('token', 'List the tokens again.');
    return voided;
  }
}

/** Binds an operation to the token that asks for it. */
export class BindOperation {
  constructor(private readonly tokens: Pick<TokenStore, 'bind'>) {}

  /** @throws AppError POLICY_VIOLATION for a token that is not the agent's, PERMIT_CONFLICT for an operation of another one */
  async execute(key: TokenKey, operationId: string): Promise<void> {
    const bound = await this.tokens.bind(key, operationId);
    if (bound === undefined) throw grantEnded();
    if (bound !== key.tokenId) throw new AppError('PERMIT_CONFLICT', { data: { reason: 'other_token' } });
  }
}
