import type { ServerUnaryCall } from '@grpc/grpc-js';
import { namesOf } from './callers.js';

/** The connection that grpc-js keeps in a call. */
interface OverConnection {
  readonly call?: { readonly stream?: { readonly session?: object } };
}

const known = new WeakMap<object, readonly string[]>();

/**
 * Returns the names in the client certificate of a call's connection. They are read once a connection: reading costs as
 * much as an Ed25519 signature, and the certificate never changes.
 */
export function callerNames(call: Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>): readonly string[] {
  const connection = (call as OverConnection).call?.stream?.session;
  const kept = connection && known.get(connection);
  if (kept) return kept;
  const names = namesOf(call.getAuthContext().sslPeerCertificate);
  if (connection) known.set(connection, names);
  return names;
}
