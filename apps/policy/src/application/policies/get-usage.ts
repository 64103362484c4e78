import { notFound } from '@agent-wallet/kernel';
import type { LimitUsage } from '../../domain/decision.js';
import { grantEnded } from '../../domain/refusal.js';
import type { Token } from '../../domain/token.js';
import type { ReservationStore } from '../../ports/reservation-store.js';
import type { TokenStore } from '../../ports/token-store.js';

/** Usage of the limits, and the scoped token that asks. */
export interface Usage extends LimitUsage {
  readonly token: Token | undefined;
}

/** Reports what of the limits is used now. */
export class GetUsage {
  constructor(
    private readonly reservations: Pick<ReservationStore, 'dryRun'>,
    private readonly tokens: Pick<TokenStore, 'list'>,
  ) {}

  /**
   * @param tokenId the scoped token that asks; undefined where none does
   * @throws AppError NOT_FOUND when the agent has no policy, POLICY_VIOLATION when the token has ended
   */
  async execute(agentId: string, tokenId?: string): Promise<Usage> {
    const request = { agentId, tokenId, kind: 'payment', recipient: '', valueUsdMicros: undefined } as const;
    const [usage, tokens] = await Promise.all([
      this.reservations.dryRun(request),
      tokenId === undefined ? [] : this.tokens.list(agentId),
    ]);
    if (!usage) throw notFound('policy', 'The first login of the agent creates it.');
    const token = tokens.find(({ id }) => id === tokenId);
    if (tokenId !== undefined && !token) throw grantEnded();
    return { ...usage, token };
  }
}
