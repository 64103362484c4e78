import type { Kind } from '../kinds/saga-kind.js';
import type { PlanCodec } from '../kinds/plan-codec.js';
import type { OperationRecord } from '../records/operation.js';

/** What names a kind of operation and stores its plans. */
export type StoredKind<Plan = unknown> = Pick<Kind<unknown, Plan>, 'action' | 'codec'>;

/** Plans between records and rows: no other code turns a plan into JSON, or reads one. */
export class Plans {
  readonly #codecs: ReadonlyMap<string, PlanCodec<unknown>>;

  constructor(kinds: readonly StoredKind[]) {
    this.#codecs = new Map(kinds.map(({ action, codec }) => [action, codec]));
  }

  /** The text of the column; null without a plan. @throws Error for an action that this service does not have */
  encode({ action, plan }: Pick<OperationRecord, 'action' | 'plan'>): string | null {
    if (plan === undefined) return null;
    const codec = this.#codecs.get(action);
    if (!codec) throw new Error(`plans of ${action} cannot be stored here`);
    return JSON.stringify(codec.encode(plan));
  }

  /** The plan of a row; undefined without one, and of an action that this service does not have. @throws UnreadablePlan */
  decode({ action, plan }: { readonly action: string; readonly plan: unknown }): unknown {
    return plan === null ? undefined : this.#codecs.get(action)?.decode(plan);
  }
}
