import type { CallOptions } from './call/call-options.js';
import type { MethodDefinition, ServiceDefinition } from './call/definition.js';
import { type Calling, makeCall } from './call/make-call.js';
import { RetryBudget } from './call/retry-budget.js';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './call/retry-policy.js';
import { RotatingChannel } from './channel/rotating-channel.js';
import type { TlsFiles } from './channel/tls-files.js';

/** Whom to call, and who calls. */
export interface ConnectOptions {
  /** `dns:///history.agent-wallet.svc:50051`; a headless Service's name stands for all its pods. */
  readonly address: string;
  /** The service, by the name that its certificate carries: `history`. */
  readonly service: string;
  readonly tls: TlsFiles;
  /** Interval between two reads of the files in `tls`; 10 s when omitted. */
  readonly rereadTlsMs?: number;
  /** Called when they cannot be used any more; the last good ones stay in use. */
  readonly onTlsProblem?: (error: Error) => void;
  readonly retry?: Partial<RetryPolicy>;
  /** Asked at every call for metadata to send: `traceparent` and the like. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** A service's methods. Each rejects with a `CallError`. */
export type ServiceClient<S extends ServiceDefinition> = {
  readonly [Name in keyof S['methods']]: S['methods'][Name] extends {
    readonly requestType: { encode(message: infer Request): unknown };
    readonly responseType: { decode(input: Uint8Array): infer Response };
  }
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;
};

/** A connection to all replicas of a service. */
export interface Connection {
  /** Creates a client of a service: `connection.client(historyV1.HistoryServiceDefinition)`. */
  client<S extends ServiceDefinition>(definition: S): ServiceClient<S>;
  /** Takes no more calls, and closes once those under way are over, after 30 s at the latest. */
  close(graceMs?: number): Promise<void>;
}

const REREAD_MS = 10_000;
const GRACE_MS = 30_000;

/** Opens a connection; it connects on the first call. @throws Error when the files of `tls` cannot be used */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { address, service, tls, rereadTlsMs = REREAD_MS, onTlsProblem = () => undefined } = options;
  const channel = await RotatingChannel.open({ address, service, tls, rereadMs: rereadTlsMs, onTlsProblem });
  const calling: Calling = {
    channel,
    policy: { ...DEFAULT_RETRY_POLICY, ...options.retry },
    budget: new RetryBudget(),
    headers: options.headers ?? (() => ({})),
  };
  return {
    client: (definition) => clientOf(calling, definition),
    close: (graceMs = GRACE_MS) => channel.close(graceMs),
  };
}

function clientOf<S extends ServiceDefinition>(calling: Calling, { fullName, methods }: S): ServiceClient<S> {
  const made = Object.entries(methods).map(([key, definition]) => {
    const method = { name: `${fullName}/${definition.name}`, method: definition as MethodDefinition<object, unknown> };
    return [key, (request: object, options?: CallOptions) => makeCall(calling, method, request, options)] as const;
  });
  return Object.fromEntries(made) as ServiceClient<S>;
}
