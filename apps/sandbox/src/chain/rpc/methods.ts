import type { RpcCall } from './call.js';

/** Methods by name; each answers the `result`, or throws an RpcError. */
export type Methods = Readonly<Record<string, (call: RpcCall) => unknown>>;
