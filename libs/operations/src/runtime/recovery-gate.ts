import type { policyV1 } from '@agent-wallet/contracts';
import { type Scheduler, waitAtMost } from '@agent-wallet/kernel';
import { type BackgroundLoop, type Logger, startLoop } from '@agent-wallet/platform';
import type { Held } from '../store/operation-store.js';
import type { OperationRecord } from '../records/operation.js';

/** Policy's calls about recoveries. A generated client fits. */
export interface OperationRecoveries {
  getRecovery(request: policyV1.GetRecoveryRequest): Promise<policyV1.GetRecoveryResponse>;
}

/** Time between two requests for policy's recovery state, in milliseconds. */
const ASK_EVERY_MS = 1_000;

/** Time that calls right after a start wait for the first recovery state, in milliseconds. */
const FIRST_RESPONSE_MS = 2_000;

const ALL: Held = { all: true, agentIds: [] };
const NONE: Held = { all: false, agentIds: [] };

/**
 * Policy's recovery state. After a database restore, an operation without a signed message may have been carried out
 * nevertheless. It is left alone until policy has read the chain, and longer where money has moved. Before the first
 * response, the state is unknown.
 */
export class RecoveryGate {
  #known: policyV1.GetRecoveryResponse | undefined;
  readonly #loop: BackgroundLoop;
  #firstAnswered = () => {};
  readonly #firstAnswer = new Promise<void>((resolve) => (this.#firstAnswered = resolve));

  /** @param needsTreasury whether nothing can be done while the treasury is held */
  constructor(
    private readonly recoveries: OperationRecoveries,
    private readonly needsTreasury: boolean,
    logger: Logger,
    private readonly scheduler?: Scheduler,
  ) {
    const round = () => this.#ask().then(() => false);
    this.#loop = startLoop({ name: 'recovery', logger, idleMs: ASK_EVERY_MS, round, scheduler });
  }

  /** Operations that must not be taken up. */
  get held(): Held {
    if (!this.#known || this.isClosed) return ALL;
    const { frozenAgentIds: agentIds } = this.#known;
    return agentIds.length > 0 ? { all: false, agentIds } : NONE;
  }

  /** Whether policy is known to permit nothing now. */
  get isClosed(): boolean {
    const { inProgress = false, treasuryFrozen = false } = this.#known ?? {};
    return inProgress || (this.needsTreasury && treasuryFrozen);
  }

  /** Reports whether an operation predates a recovery, so that it may have been signed without a record here. */
  mayHaveBeenSigned({ createdAtMs }: Pick<OperationRecord, 'createdAtMs'>): boolean {
    if (!this.#known) return true;
    const { inProgress, endedAtMs } = this.#known;
    return inProgress || createdAtMs <= endedAtMs;
  }

  /** Waits for policy's first answer, for a short time. */
  async firstAnswer(): Promise<void> {
    if (!this.#known) await waitAtMost(FIRST_RESPONSE_MS, this.#firstAnswer, this.scheduler);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #ask(): Promise<void> {
    this.#known = await this.recoveries.getRecovery({});
    this.#firstAnswered();
  }
}
