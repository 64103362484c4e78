import { setTimeout as pause } from 'node:timers/promises';
import { eventData, textOf } from './event-data.js';
import { type Id, isAnswerTo, parsed } from './messages.js';
import type { Refusal } from './refusals.js';

/** A message on its way to the service. */
interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Id of a request; undefined for a notification. */
  readonly id: Id | undefined;
  /** Whether the answer is a stream that stays open, which is opened again for as long as it has begun. */
  readonly isStream: boolean;
  readonly signal: AbortSignal;
}

/** End of a message. `answered`: its answer was passed on, or it needs none. */
export type Outcome = 'answered' | 'no answer' | Refusal;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
const REPEAT_FOR_MS = 30_000;

const PASSING = new Set([429, 502, 503, 504]);

/**
 * Sends a message, and repeats it while the service is away or busy. A repeat never pays twice: tools that move money take
 * a handle that the server has minted, so that the same message is the same operation.
 * @param pass takes each JSON-RPC message of the answer
 * @throws what the signal aborts with
 */
export async function send(
  post: Post,
  pass: (json: string, value: unknown) => void,
  repeatForMs = REPEAT_FOR_MS,
): Promise<Outcome> {
  let pauseMs = FIRST_PAUSE_MS;
  let endsAtMs: number | undefined;
  for (;;) {
    let hasBegun = false;
    const outcome = await attempt(post, (json, value) => {
      hasBegun = true;
      pass(json, value);
    });
    if (!mayPass(outcome)) return outcome;
    if (endsAtMs === undefined || (hasBegun && post.isStream)) {
      endsAtMs = performance.now() + repeatForMs;
      pauseMs = FIRST_PAUSE_MS;
    }
    const named = outcome === 'no answer' ? 0 : (outcome.retryAfterSeconds ?? 0);
    const waitMs = Math.max(pauseMs, named * 1_000);
    if (performance.now() + waitMs > endsAtMs) return outcome;
    await pause(waitMs, undefined, { signal: post.signal });
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

function mayPass(outcome: Outcome): outcome is 'no answer' | Refusal {
  return outcome === 'no answer' || (outcome !== 'answered' && PASSING.has(outcome.status));
}

async function attempt(post: Post, pass: (json: string, value: unknown) => void): Promise<Outcome> {
  const { url, headers, body, id, signal } = post;
  // A redirect comes from something else than the service, which must not get the token.
  const request = new Request(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  try {
    const response = await fetch(request);
    if (!response.ok) return refusalOf(response, await textOf(response.body));
    if (id === undefined) {
      await response.body?.cancel();
      return 'answered';
    }
    if (response.body && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
      return await passEvents(response.body, id, pass);
    }
    const text = await textOf(response.body);
    const value = parsed(text);
    if (!isAnswerTo(value, id)) return refusalOf(response, text);
    pass(text, value);
    return 'answered';
  } catch {
    signal.throwIfAborted();
    return 'no answer';
  }
}

/** Passes on each message until the answer; what is not JSON is left out. */
async function passEvents(
  body: ReadableStream<Uint8Array>,
  id: Id,
  pass: (json: string, value: unknown) => void,
): Promise<Outcome> {
  for await (const data of eventData(body)) {
    const value = parsed(data);
    if (value === undefined) continue;
    pass(data, value);
    if (isAnswerTo(value, id)) return 'answered';
  }
  return 'no answer';
}

function refusalOf({ status, headers }: Response, body: string): Refusal {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return { status, body, retryAfterSeconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined };
}
