import type { intentV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { LookUpFor, VerifiedTokens } from '@agent-wallet/prices';
import { NAMED_MINTS, restrictsRecipients } from '../../domain/policy.js';
import type { PolicyStore } from '../../ports/policy-store.js';
import type { PricedIntent } from '../../ports/reservation-store.js';
import type { TokenStore } from '../../ports/token-store.js';
import type { ShownMessage } from './check-shown-swap.js';
import type { PriceIntent } from './price-intent.js';

const LOOK_UP_FAILURES: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'RATE_LIMIT_EXCEEDED']);

/**
 * Prices an agent's intent, and finds out whether it brings a token that neither has a name here nor is verified: by a
 * trade, or from a pool that it adds to. A worthless token of its own is how a thief takes money out beside a list of
 * recipients. The limit rule decides. The mint is looked up only where that can matter, so that trades of strangers do not
 * use up the calls. A token that cannot be looked up counts as unverified, so that the refusal is immediate.
 */
export class PriceRequest {
  constructor(
    private readonly price: PriceIntent,
    private readonly policies: Pick<PolicyStore, 'find'>,
    private readonly verified: Pick<VerifiedTokens, 'byMint'>,
    private readonly tokens: Pick<TokenStore, 'list'>,
  ) {}

  /**
   * @param shown the message that is to be permitted; undefined when none is
   * @throws AppError of `PriceIntent`
   */
  async execute(agentId: string, intent: intentV1.Intent | undefined, shown?: ShownMessage): Promise<PricedIntent> {
    const priced = await this.price.execute(intent, shown);
    const unnamed = priced.acquiredMints?.filter((mint) => !NAMED_MINTS.has(mint)) ?? [];
    if (unnamed.length === 0) return priced;
    // Should the policy or a token change meanwhile so that it matters, the mint counts as unverified.
    if (!(await this.#matters(agentId, unnamed))) return { ...priced, isUnverified: true };
    const isVerified = await this.#areVerified(unnamed, { agentId, isReal: shown !== undefined });
    return { ...priced, isUnverified: isVerified !== true, isVerificationUnknown: isVerified === undefined };
  }

  /** Reports whether the limit rule may ask: where the policy or a token of the agent restricts recipients. */
  async #matters(agentId: string, mints: readonly string[]): Promise<boolean> {
    const policy = await this.policies.find(agentId);
    if (!policy) return false;
    // Refused without a look-up.
    if (policy.allowedTokens && !mints.every((mint) => policy.allowedTokens?.includes(mint))) return false;
    const isListed = mints.every((mint) => policy.ownerListedTokens.includes(mint));
    if (policy.isClaimed && restrictsRecipients(policy) && !isListed) return true;
    if (policy.allowedTokens) return false;
    return (await this.tokens.list(agentId)).some(({ recipients }) => recipients !== undefined);
  }

  /** Reports whether all mints are verified; undefined when that cannot be found out now. */
  async #areVerified(mints: readonly string[], by: LookUpFor): Promise<boolean | undefined> {
    try {
      const found = await Promise.all(mints.map((mint) => this.verified.byMint(mint, by)));
      return found.every((token) => token !== undefined);
    } catch (error) {
      if (error instanceof AppError && LOOK_UP_FAILURES.has(error.code)) return undefined;
      throw error;
    }
  }
}
