import type { AttestedReplicas } from '@agent-wallet/attestation';
import { keyFromBase58 } from '@agent-wallet/contracts/audit';
import { z } from 'zod';

const hex = () =>
  z
    .string()
    .regex(/^([0-9a-f]{2})+$/)
    .transform((text) => Buffer.from(text, 'hex'));
const base64 = () => z.base64().transform((text) => Buffer.from(text, 'base64'));
const key = () =>
  z.string().transform((text, context) => {
    const bytes = keyFromBase58(text);
    if (bytes) return bytes;
    context.addIssue({ code: 'custom', message: 'must be a key in base58' });
    return z.NEVER;
  });

const DATA = z.object({
  replicas: z.array(
    z.object({
      keyId: z.string(),
      evidence: z.object({ format: z.string(), document: base64(), statement: base64() }),
      boundNonce: hex(),
      buildDigest: hex(),
      ephemeralKey: key(),
    }),
  ),
  permitKeys: z.array(z.object({ keyId: z.string(), publicKey: key() })),
  unanswered: z.int().min(0),
});

/** Reads an answer of GET /attestation, with its envelope or without. @throws Error when it is none */
export function readResponse(answer: unknown): AttestedReplicas {
  const inner = (answer as { data?: unknown } | null)?.data ?? answer;
  const read = DATA.safeParse(inner);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`this is not an answer of GET /attestation (${issue?.path.join('.')}: ${issue?.message})`);
  }
  const { replicas, permitKeys, unanswered } = read.data;
  return {
    unanswered,
    replicas: replicas.map(({ keyId, evidence: { format, document, statement }, ...replica }) => ({
      ...replica,
      statement,
      permitKeys,
      evidence: { format, keyId, document },
    })),
  };
}
