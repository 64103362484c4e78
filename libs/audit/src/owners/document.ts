import { isSame, sha256, textOf } from '../bytes.js';

/** Reason why a signed document is not the one of an approval. */
export type DocumentProblem = 'document_missing' | 'document_differs' | 'document_unreadable';

/** The fields of a signed document that are checked. */
export interface SignedDocument {
  readonly id: string;
  readonly kind: string;
  readonly origin: string;
  readonly owner: string;
  readonly agent: string | undefined;
  readonly terms: Json;
}

/** An object of JSON whose values are not known. */
export type Json = Readonly<Record<string, unknown>>;

/** Reads a document with the hash that was signed; otherwise returns what is wrong with it. */
export function readDocument(bytes: Uint8Array | undefined, hash: Uint8Array): SignedDocument | DocumentProblem {
  if (!bytes) return 'document_missing';
  if (!isSame(sha256(bytes), hash)) return 'document_differs';
  return parseDocument(bytes) ?? 'document_unreadable';
}

/** Reads a document; undefined from bytes that are not one. */
export function parseDocument(bytes: Uint8Array): SignedDocument | undefined {
  const { id, kind, origin, owner, agent, terms } = readJson(bytes);
  if (typeof id !== 'string' || typeof kind !== 'string' || typeof origin !== 'string' || typeof owner !== 'string') {
    return undefined;
  }
  return { id, kind, origin, owner, agent: typeof agent === 'string' ? agent : undefined, terms: objectOf(terms) };
}

/** Reads an object of JSON; an empty one from any other bytes. */
export function readJson(bytes: Uint8Array): Json {
  try {
    return objectOf(JSON.parse(textOf(bytes)));
  } catch {
    return {};
  }
}

/** Returns an object as it is; an empty one for any other value. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
