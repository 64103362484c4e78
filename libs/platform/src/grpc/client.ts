import {
  type Client,
  makeClientConstructor,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { type AppError, systemClock } from '@agent-wallet/kernel';
import { currentRequest } from '../context/request-context.js';
import type { ServiceName } from './callers.js';
import { fromServiceError, RpcFailure } from './errors.js';
import { calledMethod } from './measure.js';
import { serviceName } from './service-name.js';
import type { TlsIdentity } from './tls.js';

/** Options of one call. */
export interface CallOptions {
  /** Time limit of the response; 5 s when omitted. */
  readonly deadlineMs?: number;
}

type Unary<S extends ServiceDefinition> = {
  readonly [Method in keyof S]: S[Method] extends MethodDefinition<infer Request, infer Response>
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;
};

/**
 * A service's methods as promises. A call rejects with the service's own AppError, or with RpcFailure when the
 * service gave no answer.
 */
export type RpcClient<S extends ServiceDefinition> = Unary<S> & {
  /** Resolves once connected. @throws RpcFailure when that takes longer: nothing was sent */
  connected(deadlineMs: number): Promise<void>;
  close(): void;
};

const DEFAULT_DEADLINE_MS = 5_000;

/**
 * An IP address is one replica. Without turns its channel rests while there are no calls, and the first call after a
 * restart connects at once, where one by turns may be pausing between two tries.
 */
const ONE_REPLICA = /^(\d+(\.\d+){3}|\[[^\]]+\]):\d+$/;

/** Every replica takes its turn; one that is away is left out until it is back. */
const BY_TURNS = JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] });

/** Whom to call. */
export interface PeerOptions<S extends ServiceDefinition> {
  readonly definition: S;
  /**
   * The peer, and whose name its certificate must carry. Its address is `host:port`, where the host's name may stand for
   * several replicas, or `ipv4:host:port,host:port`.
   */
  readonly peer: { readonly address: string; readonly service: ServiceName };
  readonly tls: Pick<TlsIdentity, 'client'>;
}

/** Opens a channel to a service; connects on the first call. */
export function openRpcClient<S extends ServiceDefinition>(options: PeerOptions<S>): RpcClient<S> {
  const { definition, peer, tls } = options;
  const name = serviceName(definition);
  const client = new (makeClientConstructor(definition, name))(peer.address, tls.client, {
    'grpc.ssl_target_name_override': peer.service,
    ...(ONE_REPLICA.test(peer.address) ? {} : { 'grpc.service_config': BY_TURNS }),
    'grpc.service_config_disable_resolution': 1,
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.keepalive_time_ms': 30_000,
  });
  const methods = Object.keys(definition).map(
    (method) => [method, unary(client, method, definition[method]!.path)] as const,
  );
  return Object.assign(Object.fromEntries(methods), {
    connected: (deadlineMs: number) => connected(client, name, deadlineMs),
    close: () => client.close(),
  }) as unknown as RpcClient<S>;
}

type RawMethod = (
  request: unknown,
  metadata: Metadata,
  options: { deadline: number },
  callback: (error: ServiceError | null, response: unknown) => void,
) => void;

function unary(client: Client, method: string, path: string) {
  const raw = ((client as unknown as Record<string, RawMethod>)[method] as RawMethod).bind(client);
  const measure = calledMethod(path);
  return (request: unknown, options: CallOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const deadline = systemClock.nowMs() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
      const metadata = requestMetadata();
      const measured = measure(metadata);
      raw(request, metadata, { deadline }, (error, response) => {
        const failure = error && fromServiceError(method, error);
        measured.end(failure ? errorTypeOf(failure) : undefined);
        if (failure) reject(failure);
        else resolve(response);
      });
    });
}

function errorTypeOf(failure: AppError | RpcFailure): string {
  return failure instanceof RpcFailure ? (status[failure.status] ?? 'UNKNOWN') : failure.code;
}

function requestMetadata(): Metadata {
  const metadata = new Metadata();
  const request = currentRequest();
  if (request) metadata.set('x-request-id', request.requestId);
  if (request?.agentId) metadata.set('x-agent-id', request.agentId);
  if (request?.askedBy) metadata.set('x-asked-by', request.askedBy);
  if (request?.askedFrom) metadata.set('x-asked-from', request.askedFrom);
  if (request?.loggedInAtMs) metadata.set('x-logged-in-at', String(request.loggedInAtMs));
  if (request?.tokenId) metadata.set('x-token-id', request.tokenId);
  return metadata;
}

function connected(client: Client, name: string, deadlineMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(systemClock.nowMs() + deadlineMs, (error) =>
      error ? reject(fromServiceError(name, error as ServiceError)) : resolve(),
    );
  });
}
