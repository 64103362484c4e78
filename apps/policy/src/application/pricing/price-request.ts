import type { intentV1 } from '@agent-wallet/contracts';
import type { VerifiedTokens } from '@agent-wallet/prices';
import { NAMED_MINTS, restrictsRecipients } from '../../domain/policy.js';
import type { PolicyStore } from '../../ports/policy-store.js';
import type { PricedIntent } from '../../ports/reservation-store.js';
import type { TokenStore } from '../../ports/token-store.js';
import type { ShownMessage } from './check-shown-swap.js';
import type { PriceIntent } from './price-intent.js';

/**
 * Prices an agent's intent, and finds out whether it brings a token that neither has a name here nor is verified: by a
 * trade, or from a pool that it adds to. A worthless token of its own is how a thief takes money out beside a list of
 * recipients. The limit rule decides. The mint is looked up only where that can matter, so that trades of strangers do not
 * use up the calls.
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
   * @throws AppError of `PriceIntent`; UPSTREAM_ERROR, UPSTREAM_TIMEOUT or RATE_LIMIT_EXCEEDED when a token cannot be looked
   *   up
   */
  async execute(agentId: string, intent: intentV1.Intent | undefined, shown?: ShownMessage): Promise<PricedIntent> {
    const priced = await this.price.execute(intent, shown);
    const unnamed = priced.acquiredMints?.filter((mint) => !NAMED_MINTS.has(mint)) ?? [];
    if (unnamed.length === 0) return priced;
    // Should the policy or a token change meanwhile so that it matters, the mint counts as unverified.
    const isVerified = (await this.#matters(agentId, unnamed)) && (await this.#areVerified(unnamed));
    return { ...priced, isUnverified: !isVerified };
  }

  /** Reports whether the limit rule may ask: where the policy or a token of the agent restricts recipients. */
  async #matters(agentId: string, mints: readonly string[]): Promise<boolean> {
    const policy = await this.policies.find(agentId);
    if (!policy) return false;
    const isListed = mints.every((mint) => policy.ownerListedTokens.includes(mint));
    if (policy.isClaimed && restrictsRecipients(policy) && !isListed) return true;
    if (mints.every((mint) => policy.allowedTokens?.includes(mint))) return false;
    return (await this.tokens.list(agentId)).some(({ recipients }) => recipients !== undefined);
  }

  async #areVerified(mints: readonly string[]): Promise<boolean> {
    const found = await Promise.all(mints.map((mint) => this.verified.byMint(mint)));
    return found.every((token) => token !== undefined);
  }
}
