import { AsyncLocalStorage } from 'node:async_hooks';

/** Context of the request in progress; travels between services as gRPC metadata. */
export interface RequestContext {
  /** Id that the gateway gave the request. */
  readonly requestId: string;
  /** The agent it is for, once known. */
  readonly agentId?: string | undefined;
  /** The caller at the gateway: `agent`, or `owner` and the UUID. */
  readonly askedBy?: string | undefined;
  /** The network that it came from, once known: /24 or /48. */
  readonly askedFrom?: string | undefined;
  /** Time of the mailed code that an agent's session goes back to, in Unix milliseconds. */
  readonly loggedInAtMs?: number | undefined;
  /** The scoped token (UUID) that an agent's request carries; undefined for its own sessions. */
  readonly tokenId?: string | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs work as part of a request. */
export function inRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Returns the context of the request in progress; undefined for background work. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}
