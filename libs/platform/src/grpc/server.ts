import { inRequest, type RequestContext } from '../context/request-context.js';
import { type AppError, isUuid, newId } from '@agent-wallet/kernel';
import { Server, type sendUnaryData, type ServerUnaryCall, type ServiceDefinition } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import { HealthImplementation } from 'grpc-health-check';
import type { Logger } from '../log/logger.js';
import { serviceOf } from '../log/service-of.js';
import { callerNames } from './caller-names.js';
import { assertCaller, type ServiceName } from './callers.js';
import { toAppError, toServiceError } from './errors.js';
import { type HealthPort, openHealthPort } from './health-port.js';
import { servedMethod } from './measure.js';
import { Reflection } from './reflection/reflection.js';
import { serviceName } from './service-name.js';
import type { TlsIdentity } from './tls.js';

/** One service that a server serves. */
export interface ServedService {
  readonly definition: ServiceDefinition;
  /** Callers allowed for each method: see `CallerLists`. */
  readonly callers: Readonly<Record<string, readonly ServiceName[]>>;
  /** Has a handler for every method: see `GrpcController`. */
  readonly controller: object;
}

/** Options of a server. */
export interface GrpcServerOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly address: string;
  readonly tls: Pick<TlsIdentity, 'server'>;
  /** `host:port` that serves health alone, without TLS, for probes; none when omitted. */
  readonly healthAddress?: string | undefined;
  /** Whether its health is SERVING once it listens, or only once it is set; true when omitted. */
  readonly startsServing?: boolean;
  readonly logger: Logger;
  /** Maximum age of a caller's connection; 5 min when omitted. */
  readonly connectionAgeMs?: number;
  /** Time that a stop leaves to calls in progress. */
  readonly graceMs?: number;
}

type UnaryCall = ServerUnaryCall<unknown, unknown>;
type UnaryHandler = (call: UnaryCall, callback: sendUnaryData<unknown>) => unknown;

/** The part of a generated method definition that Nest passes on. */
interface NativeMethod {
  readonly path: string;
}

const DEFAULT_GRACE_MS = 25_000;

/** Name of the service that grpc-health-check serves. */
const HEALTH = 'grpc.health.v1.Health';

/** Callers that reconnect find replicas that were added, and are shown and show certificates that are in force. */
const CONNECTION_AGE_MS = 300_000;

/**
 * Nest's gRPC transport with what ours needs: mutual TLS, a caller list per method, the request's context, errors of
 * the catalogue, the bound port, health, reflection, and a bounded stop.
 */
export class GrpcServer extends ServerGrpc {
  /** The port it listens on, once it does. */
  port = 0;
  readonly health = new HealthImplementation({ '': 'NOT_SERVING' });
  readonly #reflection: Reflection;
  #healthPort: HealthPort | undefined;
  readonly #own: GrpcServerOptions;
  readonly #callersByPath: ReadonlyMap<string, readonly string[]>;

  constructor(services: readonly ServedService[], own: GrpcServerOptions) {
    const byName = services.map(({ definition }) => [serviceName(definition), definition] as const);
    const packages = new Set(byName.map(([name]) => name.slice(0, name.lastIndexOf('.'))));
    super({ url: own.address, package: [...packages], packageDefinition: Object.fromEntries(byName) });
    this.#own = own;
    this.#reflection = new Reflection([...byName.map(([name]) => name), HEALTH]);
    this.#callersByPath = new Map(
      services.flatMap(({ definition, callers }) =>
        Object.entries(definition).map(([method, { path }]) => [path, callers[method] ?? []] as const),
      ),
    );
  }

  override async createClient(): Promise<Server> {
    const { connectionAgeMs = CONNECTION_AGE_MS, graceMs = DEFAULT_GRACE_MS } = this.#own;
    const server = new Server({
      'grpc.max_receive_message_length': 256 * 1024,
      'grpc.max_connection_age_ms': connectionAgeMs,
      'grpc.max_connection_age_grace_ms': graceMs,
    });
    this.health.addToServer(server);
    this.#reflection.addToServer(server);
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(this.#own.address, this.#own.tls.server, (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    const { healthAddress } = this.#own;
    try {
      if (healthAddress) this.#healthPort = await openHealthPort(this.health, healthAddress);
    } catch (error) {
      server.forceShutdown();
      throw error;
    }
    return server;
  }

  /** Address of the health service for probes; undefined without one. */
  get healthAddress(): string | undefined {
    return this.#healthPort?.address;
  }

  /** Sets for probes and watchers whether new calls should come here. */
  setServing(isServing: boolean): void {
    this.health.setStatus('', isServing ? 'SERVING' : 'NOT_SERVING');
  }

  override createServiceMethod(handler: never, native: NativeMethod, type: never): UnaryHandler {
    const inner = super.createServiceMethod(handler, native, type) as unknown as UnaryHandler;
    const allowed = this.#callersByPath.get(native.path) ?? [];
    const measure = servedMethod(native.path, serviceOf(this.#own.logger));
    return (call, callback) => {
      const context = contextOf(call);
      const measured = measure(call.metadata, context);
      const answer: sendUnaryData<unknown> = (error, value) => {
        measured.end(error ? toAppError(error).code : undefined);
        if (error) this.#fail(native.path, error, callback);
        else callback(null, value);
      };
      const serve = () => {
        try {
          assertCaller(allowed, callerNames(call));
        } catch (error) {
          answer(error as Error, null);
          return;
        }
        inner(call, answer);
      };
      inRequest(context, () => measured.run(serve));
    };
  }

  override async close(): Promise<void> {
    const server = this.grpcClient as Server | null;
    this.grpcClient = null;
    if (!server) return;
    this.setServing(false);
    this.#reflection.stop();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        server.forceShutdown();
        resolve();
      }, this.#own.graceMs ?? DEFAULT_GRACE_MS);
      server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    await this.#healthPort?.stop();
  }

  #fail(method: string, error: unknown, callback: sendUnaryData<unknown>): void {
    const shown = toAppError(error);
    logFailure(this.#own.logger, method, shown);
    callback(toServiceError(shown));
  }
}

/** Logs a failed call. Most errors are responses for the caller to handle. */
function logFailure(logger: Logger, method: string, { code, message, cause }: AppError): void {
  const fields = { method, code, reason: message, err: cause ?? undefined };
  if (code === 'INTERNAL_ERROR') logger.error({ event: 'grpc_call.failed', ...fields }, 'Call failed');
  else if (code === 'CALLER_NOT_ALLOWED')
    logger.error({ event: 'grpc_call.caller_denied', ...fields }, 'Caller not allowed');
  else logger.info({ event: 'grpc_call.rejected', ...fields }, 'Call answered with an error');
}

const TIME = /^\d{1,15}$/;

/** Reads a time in Unix milliseconds; undefined for any other text. */
function timeOf(text: string | undefined): number | undefined {
  return text !== undefined && TIME.test(text) ? Number(text) : undefined;
}

function uuidOf(text: string | undefined): string | undefined {
  return text !== undefined && isUuid(text) ? text : undefined;
}

function contextOf(call: UnaryCall): RequestContext {
  const text = (name: string): string | undefined => {
    const [value] = call.metadata.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    requestId: text('x-request-id') ?? newId(),
    agentId: text('x-agent-id'),
    askedBy: text('x-asked-by'),
    askedFrom: text('x-asked-from'),
    loggedInAtMs: timeOf(text('x-logged-in-at')),
    tokenId: uuidOf(text('x-token-id')),
  };
}
