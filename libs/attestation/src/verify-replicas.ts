import { toBase58 } from '@agent-wallet/contracts/audit';
import { AttestationRefused } from './attestation-refused.js';
import type { Statement } from './statement.js';
import { type AttestedReplica, type Verification, verifyReplica } from './verify-replica.js';

/** Responses of all replicas. */
export interface AttestedReplicas {
  readonly replicas: readonly AttestedReplica[];
  /** Number of replicas with an address and without a response. */
  readonly unanswered: number;
}

/** Verdict on one replica. */
export type ReplicaVerdict =
  | { readonly ephemeralKey: string; readonly statement: Statement }
  | { readonly ephemeralKey: string; readonly refused: AttestationRefused };

/** Verdict on all replicas. */
export interface Verdict {
  readonly replicas: readonly ReplicaVerdict[];
  /** A replica that should be there is not. */
  readonly missing: AttestationRefused | undefined;
  readonly isAccepted: boolean;
}

/** Verifies every replica, and that none is missing: one that gives no answer may be the one that has something to hide. */
export function verifyReplicas({ replicas, unanswered }: AttestedReplicas, verification: Verification): Verdict {
  const verdicts = replicas.map((replica) => verdictOf(replica, verification));
  const different = new Set(verdicts.map(({ ephemeralKey }) => ephemeralKey)).size;
  const missing = missingOf({ different, unanswered, wanted: verification.policy.replicas });
  return { replicas: verdicts, missing, isAccepted: !missing && verdicts.every((verdict) => 'statement' in verdict) };
}

/** Returns the first reason for a refusal; undefined when there is none. */
export function refusalOf({ replicas, missing }: Verdict): AttestationRefused | undefined {
  return replicas.map((verdict) => ('refused' in verdict ? verdict.refused : undefined)).find(Boolean) ?? missing;
}

function verdictOf(replica: AttestedReplica, verification: Verification): ReplicaVerdict {
  const ephemeralKey = toBase58(replica.ephemeralKey);
  try {
    return { ephemeralKey, statement: verifyReplica(replica, verification) };
  } catch (error) {
    if (error instanceof AttestationRefused) return { ephemeralKey, refused: error };
    throw error;
  }
}

function missingOf(count: { readonly different: number; readonly unanswered: number; readonly wanted: number }) {
  const { different, unanswered, wanted } = count;
  if (unanswered > 0) return new AttestationRefused('replica_missing', `${unanswered} of the replicas gave no answer`);
  if (different >= wanted) return undefined;
  return new AttestationRefused('replica_missing', `${different} replicas answered, and there should be ${wanted}`);
}
