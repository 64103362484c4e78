import { createHash } from 'node:crypto';

/** The fields of a signed document that are checked. */
export interface SignedDocument {
  readonly id: string;
  readonly kind: string;
  readonly origin: string;
  readonly owner: string;
  readonly agent: string | undefined;
  /** Action on the passkey, for that kind alone. */
  readonly action: string | undefined;
  readonly credentialId: string | undefined;
  readonly coseKey: string | undefined;
  readonly terms: Readonly<Record<string, unknown>>;
}

/** Reads a document with the hash that was signed; otherwise returns what is wrong with it. */
export function readDocument(bytes: Buffer | undefined, hash: Buffer): SignedDocument | string {
  if (!bytes) return 'the document that it approves is not in the log';
  if (!createHash('sha256').update(bytes).digest().equals(hash))
    return 'its document is not the one that was requested';
  return parseDocument(bytes);
}

/** Reads a document; otherwise returns what is wrong with it. @throws SyntaxError */
export function parseDocument(bytes: Buffer): SignedDocument | string {
  const { id, kind, origin, owner, agent, terms } = objectOf(JSON.parse(bytes.toString()));
  const { action, credentialId, coseKey } = objectOf(terms);
  if (typeof id !== 'string' || typeof kind !== 'string' || typeof origin !== 'string' || typeof owner !== 'string') {
    return 'its document lacks a field';
  }
  const [agentText, actionText, credentialText, keyText] = [agent, action, credentialId, coseKey].map(textOrNone);
  return {
    id,
    kind,
    origin,
    owner,
    agent: agentText,
    action: actionText,
    credentialId: credentialText,
    coseKey: keyText,
    terms: objectOf(terms),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
