import { sign } from 'node:crypto';
import { checkpointBytes, type CheckpointClaim, HASH_BYTES, isCheckpointScope } from '@agent-wallet/contracts/audit';
import { AppError, type Clock } from '@agent-wallet/kernel';
import { CHECKPOINT_KEY_ID } from '../domain/system-wallet.js';
import { ensureKey, type KeyRing } from './ensure-key.js';

/** Most claims in one call. */
const MAX_CLAIMS = 500;

/** A claim as it was given. */
interface GivenClaim {
  readonly scope: string;
  readonly size: bigint;
  readonly rootHash: Uint8Array;
}

/** Signatures of claims, in their order. */
export interface SignedCheckpoints {
  readonly keyId: string;
  /** Unix milliseconds, by the signer's clock. */
  readonly signedAtMs: number;
  readonly signatures: Buffer[];
}

type Claim = Omit<CheckpointClaim, 'signedAtMs'>;

/**
 * Signs how far chains of the audit log have grown. The key is of this use alone, and what it signs begins with a byte
 * that no Solana message begins with.
 */
export class SignCheckpoints {
  constructor(
    private readonly keys: KeyRing,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE; SealBroken */
  async execute(given: readonly GivenClaim[]): Promise<SignedCheckpoints> {
    if (given.length < 1 || given.length > MAX_CLAIMS) {
      throw AppError.field('claims', `must be 1 to ${MAX_CLAIMS} claims`);
    }
    const claims = given.map(readClaim);
    const { address, privateKey } = await ensureKey(CHECKPOINT_KEY_ID, this.keys);
    const signedAtMs = this.clock.nowMs();
    const signatures = claims.map((claim) => sign(null, checkpointBytes({ ...claim, signedAtMs }), privateKey));
    return { keyId: address, signedAtMs, signatures };
  }
}

function readClaim({ scope, size, rootHash }: GivenClaim, n: number): Claim {
  const field = `claims.${n}`;
  if (!isCheckpointScope(scope)) throw AppError.field(`${field}.scope`, 'must be agent:<uuid> or log');
  if (size < 1n || size > BigInt(Number.MAX_SAFE_INTEGER)) throw AppError.field(`${field}.size`, 'must be a size');
  if (rootHash.length !== HASH_BYTES) throw AppError.field(`${field}.rootHash`, `must have ${HASH_BYTES} bytes`);
  return { scope, size: Number(size), rootHash };
}
