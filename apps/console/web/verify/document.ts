import { type Bytes, isSame, sha256, textOf } from '@agent-wallet/audit';
import type { VoteProblem } from './report.js';

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
export function readDocument(bytes: Bytes | undefined, hash: Bytes): SignedDocument | VoteProblem {
  if (!bytes) return 'no_document';
  if (!isSame(sha256(bytes), hash)) return 'other_document';
  return parseDocument(bytes) ?? 'unreadable';
}

/** Reads a document; undefined from bytes that are not one. */
export function parseDocument(bytes: Bytes): SignedDocument | undefined {
  const { id, kind, origin, owner, agent, terms } = readJson(bytes);
  if (typeof id !== 'string' || typeof kind !== 'string' || typeof origin !== 'string' || typeof owner !== 'string') {
    return undefined;
  }
  return { id, kind, origin, owner, agent: typeof agent === 'string' ? agent : undefined, terms: objectOf(terms) };
}

/** Reads an object of JSON; an empty one from any other bytes. */
export function readJson(bytes: Bytes): Json {
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
