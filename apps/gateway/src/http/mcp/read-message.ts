import { isSafeNumber, parse } from 'lossless-json';

/** Result of reading a body: a JSON-RPC message, or the error that says what is wrong with it. */
type ReadMessage = { readonly message: Record<string, unknown> } | { readonly refusal: JsonRpcRefusal };

/** A JSON-RPC error without an id: the request could not be read. */
export interface JsonRpcRefusal {
  readonly code: number;
  readonly message: string;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body as one JSON-RPC message. Numbers that a float cannot hold are refused, as are keys that occur twice: it
 * cannot be known what they mean. Batches are refused: each message counts against the limits.
 */
export function readMessage(body: unknown): ReadMessage {
  let message: unknown;
  try {
    message = parse(utf8.decode(body as Buffer | undefined), null, { parseNumber, onDuplicateKey });
  } catch (error) {
    const reason =
      error instanceof Unclear ? error.message : 'The body must be one JSON-RPC message, as JSON in UTF-8.';
    return { refusal: { code: PARSE_ERROR, message: reason } };
  }
  if (isDeeper(message, MAX_DEPTH)) {
    return { refusal: { code: INVALID_REQUEST, message: `The message must nest at most ${MAX_DEPTH} levels.` } };
  }
  if (Array.isArray(message)) {
    return { refusal: { code: INVALID_REQUEST, message: 'Batches are not supported. Send one message a request.' } };
  }
  if (typeof message !== 'object' || message === null) {
    return { refusal: { code: INVALID_REQUEST, message: 'The body must be a JSON object.' } };
  }
  return { message: message as Record<string, unknown> };
}

/** Levels that no message of a host needs. */
export const MAX_DEPTH = 32;

/** Reports whether a value nests more levels than these. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** A message with more than one reading. */
class Unclear extends Error {}

const MAX_SHOWN = 40;

function parseNumber(text: string): number {
  if (isSafeNumber(text)) return Number(text);
  throw new Unclear(`The number ${text.slice(0, MAX_SHOWN)} cannot be read exactly. Write amounts as text.`);
}

function onDuplicateKey({ key }: { readonly key: string }): never {
  throw new Unclear(`The key ${JSON.stringify(key.slice(0, MAX_SHOWN))} occurs twice.`);
}
