import type { OperationKind } from './operation-kind.js';
import type { SagaKind } from './saga-kind.js';

/** What an engine carries out: one message on chain, or several steps. */
export type Kind<Request = unknown, Plan = unknown> = OperationKind<Request, Plan> | SagaKind<Request, Plan>;

/** Whether a kind has several steps. */
export function isSaga<Request, Plan>(kind: Kind<Request, Plan>): kind is SagaKind<Request, Plan> {
  return 'advance' in kind;
}
