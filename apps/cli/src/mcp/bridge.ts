import type { Readable } from 'node:stream';
import { NotLoggedInError } from '../exit-codes.js';
import { linesOf, LONGEST_LINE_BYTES } from './lines.js';
import { type Outcome, send } from './mcp-post.js';
import { mcpHeaders } from './mcp-headers.js';
import {
  CODES,
  errorLine,
  fieldsOf,
  type Id,
  isAnswer,
  isAnswerTo,
  type Message,
  oneLine,
  parsed,
  type RpcError,
  toMessage,
  toRpcError,
} from './messages.js';
import { noAnswerError, noLoginError, refusalError } from './refusals.js';

/** The current upstream endpoint. */
interface Destination {
  readonly api: string;
  /** Returns the token. @throws NotLoggedInError */
  readonly token: () => string;
  /** Whether the token comes with the configuration of the host, so that no login changes it. */
  readonly isGivenToken: boolean;
  /** The command line that makes a new session. */
  readonly login: string;
}

/** Connections of a bridge. */
interface Ends {
  readonly input: Readable;
  /** Writes one line for the host. */
  readonly answer: (line: string) => void;
  /** Writes one line for people. */
  readonly say: (line: string) => void;
  readonly destination: () => Destination;
}

const LISTEN = 'subscriptions/listen';

/** Time that running requests may take after the end of the input. */
const LAST_ANSWERS_MS = 30_000;

/** Carries messages between a host and the service. It has no tool of its own, so that the service alone lists them. */
export class Bridge {
  readonly #running = new Map<Id, AbortController>();
  readonly #listening = new Set<AbortController>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #legacyVersion: string | undefined;

  constructor(private readonly ends: Ends) {}

  /** Serves until the input ends and its requests have their answers, or until `stop`. */
  async run(): Promise<void> {
    try {
      for await (const line of linesOf(this.ends.input)) this.#take(line);
    } catch {
      // An input that breaks off has ended.
    }
    for (const listening of this.#listening) listening.abort();
    const late = setTimeout(() => this.stop(), LAST_ANSWERS_MS);
    await Promise.all(this.#tasks);
    clearTimeout(late);
  }

  /** Ends all requests without an answer. */
  stop(): void {
    this.#stop.abort();
    this.ends.input.destroy();
  }

  #take(line: string | undefined): void {
    const value = line === undefined ? undefined : parsed(line);
    if (line === undefined || value === undefined) {
      const message = `A message must be one line of JSON of at most ${LONGEST_LINE_BYTES} bytes.`;
      return this.ends.answer(errorLine(null, { code: CODES.unparsable, message }));
    }
    const message = toMessage(value, line);
    if (message) {
      const task = this.#serve(message).finally(() => this.#tasks.delete(task));
      this.#tasks.add(task);
    } else if (!isAnswer(value)) {
      const invalid = {
        code: CODES.invalid,
        message: 'A message must be one request or notification of JSON-RPC 2.0.',
      };
      this.ends.answer(errorLine(null, invalid));
    }
  }

  async #serve(message: Message): Promise<void> {
    // HTTP has no such message: the end of the connection is the cancellation.
    if (message.method === 'notifications/cancelled') {
      return this.#running.get(message.params['requestId'] as Id)?.abort();
    }
    const { id } = message;
    const cancel = new AbortController();
    if (id !== undefined) this.#running.set(id, cancel);
    if (message.method === LISTEN) this.#listening.add(cancel);
    const signal = AbortSignal.any([cancel.signal, this.#stop.signal]);
    try {
      const line = await this.#failureOf(message, signal);
      if (line !== undefined && id !== undefined) this.ends.answer(line);
      else if (line !== undefined) this.ends.say(`${message.method} was not delivered.`);
    } catch (error) {
      if (signal.aborted) return;
      if (id !== undefined)
        this.ends.answer(errorLine(id, { code: CODES.internal, message: (error as Error).message }));
    } finally {
      this.#listening.delete(cancel);
      if (id !== undefined && this.#running.get(id) === cancel) this.#running.delete(id);
    }
  }

  /** Sends a message and passes on its answer. @returns the line that reports a failure, if any */
  async #failureOf(message: Message, signal: AbortSignal): Promise<string | undefined> {
    const { id, line: body } = message;
    const { api, token, ...login } = this.ends.destination();
    let authorization: string;
    try {
      authorization = `Bearer ${headerToken(token())}`;
    } catch (error) {
      if (!(error instanceof NotLoggedInError)) throw error;
      return errorLine(id ?? null, noLoginError(error.message, login.login));
    }
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...mcpHeaders(message, this.#legacyVersion),
    };
    const post = { url: `${api}/mcp`, headers, body, id, isStream: message.method === LISTEN, signal };
    const outcome = await send(post, (json, value) => {
      // An answer may come in the same moment as its cancellation.
      if (signal.aborted) return;
      if (message.method === 'initialize' && id !== undefined && isAnswerTo(value, id)) this.#agree(value);
      this.ends.answer(oneLine(json));
    });
    if (outcome === 'answered') return undefined;
    return lineOf(outcome, id ?? null, (failed) =>
      failed === 'no answer' ? noAnswerError(api) : refusalError(failed, { api, ...login }),
    );
  }

  /** Keeps the revision that `initialize` has agreed on, which later messages must name. */
  #agree(answer: unknown): void {
    const { protocolVersion } = fieldsOf(fieldsOf(answer)['result']);
    if (typeof protocolVersion === 'string') this.#legacyVersion = protocolVersion;
  }
}

type Failure = Exclude<Outcome, 'answered'>;

/** Writes a failure: the JSON-RPC error of the service as it is, or an error about HTTP. */
function lineOf(failed: Failure, id: Id | null, errorOf: (failed: Failure) => RpcError): string {
  if (failed !== 'no answer') {
    const value = parsed(failed.body);
    const error = toRpcError(value);
    // A service that could not read the id answers without it, and a host would wait for its own forever.
    if (error) return id !== null && isAnswerTo(value, id) ? oneLine(failed.body) : errorLine(id, error);
  }
  return errorLine(id, errorOf(failed));
}

/** Returns a token that can be sent. A header that is refused would be shown with its token. @throws NotLoggedInError */
function headerToken(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw new NotLoggedInError('The token has a space or a line break in it.');
  return token;
}
