import { keyFromBase58, toBase58 } from '@agent-wallet/contracts/audit';
import type { AttestationPolicy } from './attestation-policy.js';
import { AttestationRefused } from './attestation-refused.js';
import type { Evidence } from './evidence.js';
import { type PermitKey, permitKeysHash } from './permit-keys.js';
import { bindingOf, readStatement, type Statement } from './statement.js';
import { verifyEvidence } from './verify-evidence.js';

/** Response of one replica of the signer. */
export interface AttestedReplica {
  /** Its statement's bytes. */
  readonly statement: Uint8Array;
  /** Binding that the replica claims for its evidence. */
  readonly boundNonce: Uint8Array;
  readonly buildDigest: Uint8Array;
  readonly ephemeralKey: Uint8Array;
  readonly permitKeys: readonly PermitKey[];
  readonly evidence: Evidence;
}

/** Input of a verification. */
export interface Verification {
  /** The nonce that was sent. */
  readonly nonce: Uint8Array;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly policy: AttestationPolicy;
}

/**
 * Verifies what one replica answered: that its evidence is genuine, is of something that the policy accepts, and was made
 * for this nonce by the boot with this ephemeral key.
 * @returns what the replica has proven to have said
 * @throws AttestationRefused with the check that failed
 */
export function verifyReplica(replica: AttestedReplica, { nonce, nowMs, policy }: Verification): Statement {
  const statement = readStatement(replica.statement);
  const binding = bindingOf(replica.statement);
  require(isSame(statement.nonce, nonce), 'wrong_binding', 'the statement was made for another nonce');
  require(isSame(replica.boundNonce, binding), 'wrong_binding', 'the bound nonce is not that of the statement');
  require(isSame(statement.ephemeralKey, replica.ephemeralKey), 'wrong_binding', 'the statement is of another boot');
  require(isSame(statement.buildDigest, replica.buildDigest), 'wrong_binding', 'the statement is of another program');
  verifyEvidence(statement.driver, replica.evidence, { binding, nowMs, policy });
  requireBuild(statement, policy);
  requirePermitKeys(statement, replica.permitKeys, policy);
  return statement;
}

function requireBuild({ buildDigest }: Statement, { buildDigests }: AttestationPolicy): void {
  const digest = Buffer.from(buildDigest).toString('hex');
  const isAccepted = buildDigests === undefined || buildDigests.includes(digest);
  require(isAccepted, 'wrong_build', `the program has the digest ${digest}, which is not accepted`);
}

function requirePermitKeys(
  statement: Statement,
  keys: readonly PermitKey[],
  { permitKeys: accepted }: AttestationPolicy,
): void {
  const isWhole = isSame(permitKeysHash(keys), statement.permitKeysHash);
  require(isWhole, 'unknown_permit_key', 'the permit keys are not those of the statement; if they were changed, ask again');
  if (accepted === undefined) return;
  for (const { keyId, publicKey } of keys) {
    const wanted = Object.hasOwn(accepted, keyId) ? keyFromBase58(accepted[keyId]!) : undefined;
    const isAccepted = wanted !== undefined && isSame(wanted, publicKey);
    require(isAccepted, 'unknown_permit_key', `the permit key ${keyId} (${toBase58(publicKey)}) is not accepted`);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function require(holds: boolean, check: AttestationRefused['check'], message: string): void {
  if (!holds) throw new AttestationRefused(check, message);
}
