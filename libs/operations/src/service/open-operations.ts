import { policyV1 } from '@agent-wallet/contracts';
import { createOutbox, openEventPublisher, type Outbox, startRelay } from '@agent-wallet/events';
import type { Clock } from '@agent-wallet/kernel';
import {
  type BackgroundLoop,
  type Database,
  type Logger,
  openDatabase,
  openRpcClient,
  type RpcClient,
  type ServiceName,
  stopInOrder,
  type TlsIdentity,
} from '@agent-wallet/platform';
import { OperationEngine, type OperationEngineOptions } from '../engine/operation-engine.js';
import { OperatorService } from '../operator/operator-service.js';
import { type Checkpoint, type CheckpointName, crashAtPlaceIn, noCheckpoint } from '../runtime/checkpoints.js';
import type { ChainPeers } from '../runtime/operation-runtime.js';
import type { OperationTiming } from '../runtime/timing.js';
import type { OperationSettings } from './operation-settings.js';

/** Parts that a test may replace in a service that carries out operations. */
export interface OperationOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly checkpoint?: Checkpoint;
  readonly timing?: Partial<OperationTiming>;
}

/** Foundation of the operations of a service. */
export interface OperationBase {
  /** Whose operations these are; the name of the schema, too. */
  readonly source: ServiceName;
  readonly database: Database;
  readonly outbox: Outbox;
  /** Brings the outbox to the event stream; closes the way there when it stops. */
  readonly relay: BackgroundLoop;
  readonly policy: RpcClient<typeof policyV1.PolicyServiceService>;
  readonly recoveries: RpcClient<typeof policyV1.RecoveryServiceService>;
  readonly checkpoint: Checkpoint;
  readonly timing: Partial<OperationTiming> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Identity and dependencies of the service that opens it. */
export interface BaseOptions extends OperationOverrides {
  readonly source: ServiceName;
  /** The checkpoint that is passed before each batch of events. */
  readonly beforePublishing: CheckpointName;
  readonly tls: Pick<TlsIdentity, 'client'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Opens the database, the way to policy and the relay of events. */
export function openOperationBase(settings: OperationSettings, options: BaseOptions): OperationBase {
  const { source, beforePublishing, tls, clock, logger, timing } = options;
  const checkpoint = options.checkpoint ?? (settings.crashAtPath ? crashAtPlaceIn(settings.crashAtPath) : noCheckpoint);
  const database = openDatabase({ connection: settings.database, schema: source, logger });
  const publisher = openEventPublisher(settings.stream, { database, source, logger });
  const events = startRelay(database, publisher, logger, { beforeBatch: () => checkpoint(beforePublishing) });
  const relay = {
    wake: () => events.wake(),
    stop: () =>
      stopInOrder(
        () => events.stop(),
        () => publisher.close(),
      ),
  };
  const peer = { address: settings.policyAddress, service: 'policy' } as const;
  const policy = openRpcClient({ definition: policyV1.PolicyServiceService, peer, tls });
  const recoveries = openRpcClient({ definition: policyV1.RecoveryServiceService, peer, tls });
  const outbox = createOutbox(source, clock);
  return { source, database, outbox, relay, policy, recoveries, checkpoint, timing, clock, logger };
}

/** Begins to carry out operations, and lets operators look at them. Sagas alone need neither signer nor chain. */
export function openOperations(
  { outbox, relay: _, timing, ...base }: OperationBase,
  { handlers, ...peers }: Pick<OperationEngineOptions, 'handlers' | 'approvals'> & Partial<Omit<ChainPeers, 'policy'>>,
): { readonly engine: OperationEngine; readonly operators: OperatorService } {
  const { source, database, clock, recoveries } = base;
  const { chain } = peers;
  return {
    engine: new OperationEngine({ ...base, ...peers, handlers, ...(timing ? { timing } : {}) }),
    operators: new OperatorService({
      source,
      database,
      clock,
      outbox,
      handlers,
      recoveries,
      ...(chain ? { chain } : {}),
    }),
  };
}
