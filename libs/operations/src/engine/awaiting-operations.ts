import { type BackgroundLoop, startLoop } from '@agent-wallet/platform';
import { decidedApprovals } from '../message/await-approval.js';
import type { OperationRecord } from '../records/operation.js';
import type { OperationRuntime } from '../runtime/operation-runtime.js';
import type { Awaiting } from '../store/operation-store.js';
import { unreadableLog } from './unreadable-log.js';

/** Approvals that policy is asked about in one call. */
const BATCH = 100;

/** Continues operations that waited for an approval, once it is decided: those of every replica. */
export class AwaitingOperations {
  readonly #search: BackgroundLoop | undefined;

  /** @param drive takes an operation whose lease we were given */
  constructor(
    private readonly runtime: OperationRuntime,
    private readonly drive: (record: OperationRecord) => void,
  ) {
    const { logger, timing, approvals, scheduler } = runtime.tools;
    if (!approvals) return;
    const idleMs = timing.searchMs;
    const round = () => this.#takeUp();
    this.#search = startLoop({ name: 'awaited approvals', logger, idleMs, round, scheduler });
  }

  async stop(): Promise<void> {
    await this.#search?.stop();
  }

  /**
   * Continues an operation whose approval is decided, for a caller who asks for it. Undefined while that is not so, or
   * unknown, or a recovery holds the operation back.
   */
  async goOnIfDecided({ id, fence, agentId, approval }: OperationRecord): Promise<OperationRecord | undefined> {
    const { recovery, logger } = this.runtime.tools;
    const isHeld = recovery && (recovery.isClosed || recovery.held.all || recovery.held.agentIds.includes(agentId));
    if (!approval || !this.#search || isHeld) return undefined;
    try {
      const [record] = await this.#goOn([{ id, fence, approval }]);
      return record;
    } catch (err) {
      const fields = { event: 'operation.approval_check_failed', operationId: id, err } as const;
      logger.warn(fields, 'Approval not checked; retrying');
      return undefined;
    }
  }

  async #takeUp(): Promise<boolean> {
    const { store, recovery } = this.runtime.tools;
    if (recovery?.isClosed) return false;
    const awaiting = await store.claimAwaiting(this.runtime.actions, BATCH, recovery?.held);
    if (awaiting.length > 0) await this.#goOn(awaiting);
    return awaiting.length === BATCH;
  }

  /** Starts the operations whose approval is decided, and returns them. */
  async #goOn(awaiting: readonly Awaiting[]): Promise<OperationRecord[]> {
    const { approvals, store, logger } = this.runtime.tools;
    const requested = awaiting.map(({ approval }) => approval);
    const decided = await decidedApprovals(approvals!, requested);
    const taken: OperationRecord[] = [];
    for (const each of awaiting.filter(({ approval }) => decided.has(approval.approvalId))) {
      const record = await store.takeAwaiting(each, unreadableLog(logger));
      if (!record) continue;
      this.drive(record);
      taken.push(record);
    }
    return taken;
  }
}
