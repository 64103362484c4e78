import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { AnsweredRequest } from '../../ports/request-store.js';
import { Grouped } from './grouped.js';
import { query, timeParameter } from './query.js';

/** How long a final answer is replayed (specification, section 8). */
export const ANSWER_RETENTION_MS = 24 * 3_600_000;

const KEYS_REMEMBERED = 10_000;
const GROUP_LIMIT = 200;
/** As long as a statement of its own would have waited for a connection. */
const STALLED_AFTER_MS = 5_000;

interface Ask {
  readonly agentId: string;
  readonly key: string;
}

/** Without a request, or without its answer, `is_kept` is null. */
interface AnswerRow {
  readonly is_kept: boolean | null;
  readonly request_hash: Buffer;
  readonly answer_status: number;
  readonly answer_message: string;
  readonly answer_data: string;
}

/**
 * Final answers under their keys, read in groups. Only the keys that were asked for here before are looked up, the newest
 * of them: the first request of a key would wait for nothing. What is remembered of a key is that it may
 * have an answer; the answer comes from the database each time, and a key without one is for the claim to decide.
 */
export class KeptAnswers {
  readonly #mayHaveOne: RecentlyUsed<true>;
  readonly #answers: Grouped<Ask, AnswerRow>;

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    keysRemembered = KEYS_REMEMBERED,
  ) {
    this.#mayHaveOne = new RecentlyUsed(keysRemembered);
    this.#answers = new Grouped({
      name: 'kept-answers',
      run: (asks) => this.#read(asks),
      isOfOne: () => false,
      groupLimit: GROUP_LIMIT,
      stalledAfterMs: STALLED_AFTER_MS,
    });
  }

  /** The next request of this key is looked up. */
  expect(agentId: string, key: string): void {
    this.#mayHaveOne.keep(agentId + key, true);
  }

  /** The request with this key, if it is known to have its final answer. @throws AppError SERVICE_UNAVAILABLE */
  async find(agentId: string, key: string): Promise<AnsweredRequest | undefined> {
    if (!this.#mayHaveOne.use(agentId + key)) return undefined;
    const row = await this.#answers.ask({ agentId, key });
    if (!row.is_kept) return undefined;
    return {
      hash: row.request_hash,
      answer: { statusCode: row.answer_status, message: row.answer_message, dataJson: row.answer_data },
    };
  }

  /** Joined by the key alone: while nothing is known of the table, a plan might prefer the index of ends. */
  #read(asks: readonly Ask[]): Promise<AnswerRow[]> {
    return query(this.pool, {
      name: 'kept-answers',
      text: `select r.finished_at > $3 as is_kept, r.request_hash, r.answer_status, r.answer_message, r.answer_data
             from unnest($1::uuid[], $2::text[]) with ordinality as a (agent_id, key, place)
             left join requests as r on r.agent_id = a.agent_id and r.idempotency_key = a.key
             order by a.place`,
      values: [
        asks.map(({ agentId }) => agentId),
        asks.map(({ key }) => key),
        timeParameter(this.clock.nowMs() - ANSWER_RETENTION_MS),
      ],
    });
  }
}
