import { z } from 'zod';

const words = z.object({ code: z.string(), message: z.string().nullish() });
/** The bodies of a refusal: as it should be; of a request that it could not read; of too many requests. */
const errorResponse = z.union([
  z.object({ error: words }).transform(({ error }) => error),
  z.object({ error: z.string() }).transform(({ error }) => ({ code: error, message: error })),
  words,
]);

const MAX_SAID = 200;
/** Codes are kept, and databases refuse some characters. */
const UNPRINTABLE = /[^ -~]/g;

/** The exchange's error for a refusal. Its message is for the log alone. */
interface KalshiError {
  /** Its own code; empty when it names none. */
  readonly code: string;
  readonly message: string;
}

/** Reads the body of an answer whose status says that it is a refusal. */
export function readKalshiError(body: unknown): KalshiError {
  const { success, data } = errorResponse.safeParse(body);
  if (!success) return { code: '', message: '' };
  return { code: said(data.code), message: said(data.message ?? '') };
}

function said(text: string): string {
  return text.slice(0, MAX_SAID).replace(UNPRINTABLE, '?');
}
