import { keyFromBase58 } from '@agent-wallet/contracts/audit';
import { z } from 'zod';

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`), `must be ${bytes} bytes in lower-case hex`);
const keyIds = () => z.array(hex(32)).min(1);
const registers = (name: RegExp) =>
  z
    .record(z.string().regex(name), z.array(z.string().regex(/^([0-9a-f]{2})+$/)).min(1))
    .refine((pcrs) => Object.keys(pcrs).length > 0, 'must name at least one register');

const SCHEMA = z.strictObject({
  /** Whether a replica may have the software vault, of which there is no evidence. */
  software: z.literal(true).optional(),
  tpm2: z.strictObject({ attestationKeys: keyIds(), pcrs: registers(/^sha(1|256|384|512):\d{1,2}$/) }).optional(),
  pkcs11: z.strictObject({ keys: keyIds() }).optional(),
  nitro: z.strictObject({ pcrs: registers(/^\d{1,2}$/), rootSha256: hex(32).optional() }).optional(),
  /** SHA-256 of programs; any when absent. */
  buildDigests: keyIds().optional(),
  /** Name → Ed25519 public key in base58; any when absent. */
  permitKeys: z
    .record(
      z.string(),
      z.string().refine((text) => keyFromBase58(text) !== undefined, 'must be a key in base58'),
    )
    .optional(),
  /** Minimum number of replicas. */
  replicas: z.int().min(1).default(1),
});

/** A verifier's policy for a signer. A driver that is not named is not accepted. docs/attestation.md has an example. */
export type AttestationPolicy = z.output<typeof SCHEMA>;

/** A policy cannot be used; the message says which member is wrong. */
export class AttestationPolicyError extends Error {
  constructor(problem: string) {
    super(`the attestation policy is not usable: ${problem}`);
    this.name = 'AttestationPolicyError';
  }
}

/** Reads a policy from JSON text. @throws AttestationPolicyError */
export function readAttestationPolicy(text: string): AttestationPolicy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AttestationPolicyError('it is not JSON');
  }
  const read = SCHEMA.safeParse(value);
  if (read.success) return read.data;
  throw new AttestationPolicyError(
    read.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' ')).join('; '),
  );
}
