import {
  AttestationRefused,
  bindingOf,
  readAttestationPolicy,
  readStatement,
  type Statement,
  verifyEvidence,
} from '@agent-wallet/attestation';
import type { signerV1 } from '@agent-wallet/contracts';
import { createHash } from 'node:crypto';

/** A boot, as far as it is known, and the problems of its evidence. */
export interface TracedBoot {
  readonly statement: Statement;
  readonly evidence: { readonly format: string; readonly keyId: string };
  readonly startedAtMs: number;
  /** Undefined when the statement is of this boot and, where a policy says what is accepted, its evidence is. */
  readonly refused: AttestationRefused | undefined;
}

/**
 * Checks what the signer recorded of a boot at its start. Certificates must have been valid then.
 * @param policy what is accepted, as JSON; evidence is not verified without
 * @throws AttestationRefused when the statement cannot be read; AttestationPolicyError
 */
export function traceBoot(key: Buffer, recorded: signerV1.GetBootResponse, policy: string | undefined): TracedBoot {
  const statement = readStatement(recorded.statement);
  const startedAtMs = Number(recorded.startedAtMs);
  const { evidenceFormat: format, evidenceKeyId: keyId, evidence: document } = recorded;
  const evidence = { format, keyId, document };
  const accepted = policy === undefined ? undefined : readAttestationPolicy(policy);
  const check = () => {
    requireOwn(key, statement);
    if (!accepted) return;
    const binding = bindingOf(recorded.statement);
    verifyEvidence(statement.driver, evidence, { binding, nowMs: startedAtMs, policy: accepted });
    const program = Buffer.from(statement.buildDigest).toString('hex');
    if (accepted.buildDigests?.includes(program) === false) {
      throw new AttestationRefused('wrong_build', 'the program is none of those accepted');
    }
  };
  return { statement, evidence, startedAtMs, refused: refusalOf(check) };
}

/** Requires the nonce of a boot's own evidence, which is derived from its key and chosen by no one. */
function requireOwn(key: Buffer, { ephemeralKey, nonce }: Statement): void {
  const own = createHash('sha256').update('boot').update(key).digest();
  if (!key.equals(ephemeralKey) || !own.equals(nonce)) {
    throw new AttestationRefused('wrong_binding', 'the statement is of another boot');
  }
}

function refusalOf(check: () => void): AttestationRefused | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AttestationRefused) return error;
    throw error;
  }
}
