import type { ServerUnaryCall } from '@grpc/grpc-js';
import { namesOf } from './callers.js';

/** What grpc-js keeps in a call: the connection that it came over. */
interface OverConnection {
  readonly call?: { readonly stream?: { readonly session?: object } };
}

const known = new WeakMap<object, readonly string[]>();

/**
 * The names of the certificate that a call's connection was opened with. It is read once for each connection: to read it
 * costs as much as an Ed25519 signature, and a connection has no second one.
 */
export function callerNames(call: Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>): readonly string[] {
  const connection = (call as OverConnection).call?.stream?.session;
  const kept = connection && known.get(connection);
  if (kept) return kept;
  const names = namesOf(call.getAuthContext().sslPeerCertificate);
  if (connection) known.set(connection, names);
  return names;
}
