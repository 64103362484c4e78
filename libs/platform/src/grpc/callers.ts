import { AppError } from '@agent-wallet/kernel';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { PeerCertificate } from 'node:tls';

/** Names as certificates carry them: of services, and `ops` of the people who run them. */
export type ServiceName = 'gateway' | 'wallet' | 'policy' | 'swap' | 'prediction' | 'signer' | 'history' | 'ops';

/** Callers allowed for each method of a service. Every method must be listed. */
export type CallerLists<S extends ServiceDefinition> = { readonly [Method in keyof S]: readonly ServiceName[] };

/** Returns the DNS names in a certificate. */
export function namesOf(certificate: Pick<PeerCertificate, 'subjectaltname'> | undefined): string[] {
  return (certificate?.subjectaltname ?? '')
    .split(', ')
    .flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4)] : []));
}

/**
 * Rejects a caller whose name is not in the method's list, even with a certificate of the right authority.
 * @throws AppError CALLER_NOT_ALLOWED
 */
export function assertCaller(allowed: readonly string[], names: readonly string[]): void {
  if (!names.some((name) => allowed.includes(name))) throw new AppError('CALLER_NOT_ALLOWED');
}
