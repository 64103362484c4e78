// What services would write: events of agents, committed in an order that is remembered.
import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import { auditV1 } from '@agent-wallet/contracts';
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { setTimeout as sleep } from 'node:timers/promises';
import { closing } from '../../measuring/closing.mjs';

const AGENTS = 40;
const CONNECTIONS = 8;
const MOST_EVENTS = 3;
/** One in so many transactions is taken back: its events must never be seen. */
const ROLLED_BACK_ONE_IN = 12;
const LAST_REVISION = 3;
const { OPERATION_STATUS_PENDING, OPERATION_STATUS_CONFIRMED } = auditV1.OperationStatus;

class TakenBack extends Error {}

/** Agents that commit events through the outbox of `wallet` until they are stopped. */
export class Load {
  /** `Map(agent → ids of its events)`, in the order of their commits. */
  committed = new Map();
  rolledBack = 0;
  #database;
  #outbox = createOutbox('wallet', systemClock);
  #isOver = false;
  #agents = [];

  constructor(connection) {
    const logger = createLogger('soak', 'silent');
    const options = { connection, schema: 'wallet', logger, maxConnections: CONNECTIONS };
    this.#database = closing(openDatabase(options), (database) => database.close());
  }

  /** Starts them; each is in one transaction at a time. */
  start({ random, ratePerSecond }) {
    const pauseMs = (1_000 * AGENTS * (1 + MOST_EVENTS)) / 2 / ratePerSecond;
    for (let i = 0; i < AGENTS; i += 1) this.#agents.push(this.#act(newId(), random, pauseMs));
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.#agents);
  }

  get count() {
    return [...this.committed.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async #act(agentId, random, pauseMs) {
    const ids = [];
    this.committed.set(agentId, ids);
    const operation = { operationId: newId(), revision: 0 };
    while (!this.#isOver) {
      const count = random.integer(1, MOST_EVENTS);
      const isTakenBack = random.oneIn(ROLLED_BACK_ONE_IN);
      try {
        ids.push(...(await this.#commit(agentId, { ...operation }, { count, isTakenBack })));
        operation.revision += count;
        if (operation.revision >= LAST_REVISION) Object.assign(operation, { operationId: newId(), revision: 0 });
      } catch (error) {
        if (!(error instanceof TakenBack)) throw error;
        this.rolledBack += count;
      }
      await sleep(random.integer(0, 2 * pauseMs));
    }
  }

  #commit(agentId, operation, { count, isTakenBack }) {
    return this.#database.transaction(async (tx) => {
      for (let n = 0; n < count; n += 1) {
        operation.revision += 1;
        await this.#outbox.write(tx, agentId, factOf(operation));
      }
      // Rows written by this transaction alone: others' are not visible, or not of this agent.
      const { rows } = await tx.query({
        name: 'soak-written',
        text: `select event_id from outbox where agent_id = $1 and xmin = pg_current_xact_id()::xid order by id`,
        values: [agentId],
      });
      if (rows.length !== count) throw new Error(`${rows.length} events were written instead of ${count}`);
      if (isTakenBack) throw new TakenBack();
      return rows.map((row) => row.event_id);
    });
  }
}

function factOf({ operationId, revision }) {
  const status = revision >= LAST_REVISION ? OPERATION_STATUS_CONFIRMED : OPERATION_STATUS_PENDING;
  const value = {
    ...{ operationId, revision, action: 'transfer', status, asset: 'USDC', amount: 1_000_000n, decimals: 6 },
    ...{ to: '11111111111111111111111111111112', signature: '', facts: undefined, createdAtMs: 1_790_000_000_000n },
  };
  return { $case: 'operationChanged', value };
}
