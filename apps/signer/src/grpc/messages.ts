import { signerV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { Attestation } from '../application/attest.js';
import type { Boot } from '../application/boot.js';
import type { KeysDescription } from '../application/describe-keys.js';
import type { Rewrapped } from '../application/rewrap-keys.js';
import type { SignedCheckpoints } from '../application/sign-checkpoints.js';
import type { SystemWallet } from '../domain/system-wallet.js';
import type { RecordedBoot } from '../ports/boot-store.js';

/** @throws AppError VALIDATION_ERROR */
export function systemWalletOf(wallet: signerV1.SystemWallet): SystemWallet {
  switch (wallet) {
    case signerV1.SystemWallet.SYSTEM_WALLET_SPONSOR:
      return 'sponsor';
    case signerV1.SystemWallet.SYSTEM_WALLET_FEES:
      return 'fees';
    case signerV1.SystemWallet.SYSTEM_WALLET_TREASURY:
      return 'treasury';
    default:
      throw AppError.field('wallet', 'must be a wallet of the operator');
  }
}

export function toCheckpoints({ keyId, signedAtMs, signatures }: SignedCheckpoints): signerV1.SignCheckpointsResponse {
  return { keyId, signedAtMs: BigInt(signedAtMs), signatures };
}

export function toAttestation(attestation: Attestation, boot: Boot): signerV1.AttestResponse {
  const { driver, isolation, evidence, boundNonce, permitKeys } = attestation;
  const { key, buildDigest, startedAtMs } = boot;
  return {
    driver,
    isolation,
    boundNonce,
    buildDigest,
    ephemeralKey: key.publicKey,
    evidenceFormat: evidence.format,
    evidenceKeyId: evidence.keyId,
    evidence: evidence.document,
    permitKeys: permitKeys.map(({ keyId, publicKey }) => ({ keyId, publicKey: Buffer.from(publicKey) })),
    startedAtMs: BigInt(startedAtMs),
  };
}

export function toBoot({ statement, evidence, startedAtMs }: RecordedBoot): signerV1.GetBootResponse {
  return {
    statement: Buffer.from(statement),
    evidenceFormat: evidence.format,
    evidenceKeyId: evidence.keyId,
    evidence: evidence.document,
    startedAtMs: BigInt(startedAtMs),
  };
}

export function toKeysDescription({ versions, replicas, vault }: KeysDescription): signerV1.DescribeKeysResponse {
  return {
    versions: versions.map(({ version, keyCount, seals, createdAtMs }) => ({
      version,
      keys: BigInt(keyCount),
      seals: seals.map(({ driver, vaultId }) => ({ driver, id: vaultId })),
      createdAtMs: BigInt(createdAtMs),
    })),
    replicas: replicas.map((replica) => ({
      ...replica,
      versions: [...replica.versions],
      seenAtMs: BigInt(replica.seenAtMs),
    })),
    vault,
  };
}

export function toRewrapped({
  version,
  rewrapped,
  remaining,
  undecryptableAgentIds,
  nextAfter,
}: Rewrapped): signerV1.RewrapKeysResponse {
  return {
    version,
    undecryptableAgentIds: [...undecryptableAgentIds],
    nextAfter,
    rewrapped: BigInt(rewrapped),
    remaining: BigInt(remaining),
  };
}
