import type { RunningService } from '@agent-wallet/platform';

/** A service that answers. */
export interface StartedService extends RunningService {
  /** `host:port` */
  readonly address: string;
  /** `host:port` at which operators are served over gRPC, where that is another place. */
  readonly operatorAddress?: string;
}
