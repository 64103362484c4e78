import type { Clock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { Checkpoint } from '../runtime/checkpoints.js';
import type { OperationPace } from '../runtime/timing.js';

/** What a test may replace in a service that carries out operations. */
export interface OperationSeams {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly checkpoint?: Checkpoint;
  readonly pace?: Partial<OperationPace>;
}
