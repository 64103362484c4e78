import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request being worked on; travels between services as gRPC metadata. */
export interface RequestContext {
  /** Id that the gateway gave the request. */
  readonly requestId: string;
  /** The agent it is for, once known. */
  readonly agentId?: string | undefined;
  /** Who asked at the gateway: `agent`, or `owner` and the UUID. */
  readonly askedBy?: string | undefined;
  /** The network that it came from, once known: /24 or /48. */
  readonly askedFrom?: string | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs work as part of a request. */
export function inRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** The request being worked on; undefined for background work. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}
