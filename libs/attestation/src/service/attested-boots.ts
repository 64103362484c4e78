import { policyV1, type signerV1 } from '@agent-wallet/contracts';
import { AppError, type Clock } from '@agent-wallet/kernel';
import { type Logger, SettingsError } from '@agent-wallet/platform';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AttestationPolicy, AttestationPolicyError, readAttestationPolicy } from '../attestation-policy.js';
import { isCountersigned } from '../countersignature.js';
import { permitKeysHash } from '../permit-keys.js';
import { statementBytes } from '../statement.js';
import type { AttestedReplica } from '../verify-replica.js';
import { refusalOf, type Verdict, verifyReplicas } from '../verify-replicas.js';
import type { SignerReplicas } from './signer-replicas.js';

const NONCE_BYTES = 32;
const VARIABLE = 'SIGNER_ATTESTATION_POLICY_PATH';

/** Dependencies of the attestation. */
export interface AttestedBootsOptions {
  readonly signers: Pick<SignerReplicas, 'attest'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The signing call. A generated client fits. */
export interface Signing {
  sign(request: signerV1.SignRequest): Promise<signerV1.SignResponse>;
}

/** The boots of the signer whose evidence was verified. What any other boot signs is not used. */
export class AttestedBoots {
  readonly #attested = new Set<string>();
  #attesting: Promise<Verdict> | undefined;

  constructor(
    private readonly policy: AttestationPolicy,
    private readonly options: AttestedBootsOptions,
  ) {}

  /** Asks every replica, and remembers those that are accepted. Questions at the same time are one. */
  attest(): Promise<Verdict> {
    this.#attesting ??= this.#attest().finally(() => {
      this.#attesting = undefined;
    });
    return this.#attesting;
  }

  /** Wraps a signer so that it returns signatures only once the boot that countersigned them is attested. */
  guard<Signer extends Signing>(signer: Signer): Signer {
    const sign = async (request: signerV1.SignRequest): Promise<signerV1.SignResponse> => {
      const signed = await signer.sign(request);
      await this.#require(request, signed);
      return signed;
    };
    return { ...signer, sign };
  }

  async #attest(): Promise<Verdict> {
    const nonce = randomBytes(NONCE_BYTES);
    const { replicas, unanswered } = await this.options.signers.attest(nonce);
    const nowMs = this.options.clock.nowMs();
    const answers = { replicas: replicas.map((replica) => attestedReplica(nonce, replica)), unanswered };
    const verdict = verifyReplicas(answers, { nonce, nowMs, policy: this.policy });
    for (const replica of verdict.replicas) {
      if ('statement' in replica) this.#attested.add(textOf(replica.statement.ephemeralKey));
    }
    return verdict;
  }

  /** @throws AppError SERVICE_UNAVAILABLE: nothing was done; the caller tries again */
  async #require(request: signerV1.SignRequest, signed: signerV1.SignResponse): Promise<void> {
    const { countersignature } = signed;
    if (!countersignature || !isOver(request, signed)) throw unavailable('the signature is not countersigned');
    const boot = textOf(countersignature.ephemeralKey);
    if (this.#attested.has(boot)) return;
    const verdict = await this.attest();
    if (this.#attested.has(boot)) return;
    const err = refusalOf(verdict);
    this.options.logger.error(
      { event: 'attestation.boot_rejected', bootKey: boot, err },
      'Signature of an unattested boot discarded',
    );
    throw unavailable('the boot that signed is not attested');
  }
}

/**
 * Verifies the signer before a service starts.
 * @param policyPath a file of what is accepted; nothing is verified without
 * @throws SettingsError when the file cannot be used, or a replica is not accepted, or is missing
 */
export async function attestSigner(
  policyPath: string | undefined,
  options: AttestedBootsOptions,
): Promise<AttestedBoots | undefined> {
  if (policyPath === undefined) return undefined;
  const boots = new AttestedBoots(await readPolicyFile(policyPath), options);
  const verdict = await boots.attest();
  const refused = refusalOf(verdict);
  if (refused)
    throw new SettingsError([`${VARIABLE}: the signer is not accepted (${refused.check}): ${refused.message}`]);
  const bootKeys = verdict.replicas.map(({ ephemeralKey }) => ephemeralKey);
  options.logger.info({ event: 'attestation.signer_verified', bootKeys }, 'Signer attestation verified');
  return boots;
}

/**
 * Converts a replica's gRPC response. The rebuilt statement equals the replica's own as long as the fields are
 * unchanged.
 */
export function attestedReplica(nonce: Uint8Array, replica: signerV1.AttestResponse): AttestedReplica {
  const { boundNonce, buildDigest, ephemeralKey, permitKeys } = replica;
  const { evidenceFormat: format, evidenceKeyId: keyId, evidence: document } = replica;
  const statement = makeStatement(nonce, replica);
  return { statement, boundNonce, buildDigest, ephemeralKey, permitKeys, evidence: { format, keyId, document } };
}

/** Builds the statement; empty when a field has a wrong length, which no verifier accepts. */
function makeStatement(nonce: Uint8Array, replica: signerV1.AttestResponse): Buffer {
  try {
    return statementBytes({ ...replica, nonce, permitKeysHash: permitKeysHash(replica.permitKeys) });
  } catch {
    return Buffer.alloc(0);
  }
}

/** Reports whether the countersignature covers this message, its permit and all signatures. */
function isOver({ message, permit }: signerV1.SignRequest, signed: signerV1.SignResponse): boolean {
  const { signature, sponsorSignature, countersignature } = signed;
  if (!permit || !countersignature) return false;
  const { permitId } = policyV1.PermitClaims.decode(permit.claims);
  const messageHash = createHash('sha256').update(message).digest();
  const signatures = sponsorSignature ? [signature, sponsorSignature] : [signature];
  return isCountersigned({ permitId, messageHash, signatures }, countersignature);
}

async function readPolicyFile(file: string): Promise<AttestationPolicy> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new SettingsError([`${VARIABLE}: the file ${file} cannot be read`]);
  });
  try {
    return readAttestationPolicy(text);
  } catch (error) {
    if (error instanceof AttestationPolicyError) throw new SettingsError([`${VARIABLE}: ${error.message}`]);
    throw error;
  }
}

function unavailable(message: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { cause: new Error(message) });
}

const textOf = (key: Uint8Array): string => Buffer.from(key).toString('hex');
