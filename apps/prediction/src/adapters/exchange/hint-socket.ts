import type { Clock } from '@agent-wallet/kernel';
import { type ApiKey, readKalshiError, signKalshiRequest } from '@agent-wallet/kalshi';
import type { Logger } from '@agent-wallet/platform';
import { type RawData, WebSocket } from 'ws';

/** Settings of the connection to the exchange's stream. */
interface HintSocketOptions {
  readonly url: string;
  readonly key: ApiKey;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The first pause before another attempt; 1 s when omitted. */
  readonly retryMs?: number;
  /** Longest silence of the exchange, which pings every 10 s. 30 s when omitted. */
  readonly silenceMs?: number;
}

const SUBSCRIBE = JSON.stringify({ id: 1, cmd: 'subscribe', params: { channels: ['market_lifecycle_v2'] } });

const DEFAULT_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const DEFAULT_SILENCE_MS = 30_000;
const HANDSHAKE_MS = 10_000;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Many messages come at once; one hint is as good. */
const GATHER_MS = 200;

/**
 * Market events that lead to payment. The stream reports every market. Events of our own orders are not hints: the
 * caller that placed an order reads its fills, and reading settlements for each would use up the read budget.
 */
const PAYS = new Set(['determined', 'settled']);

/**
 * Listens to what the exchange says as it happens. Only a hint: it may be late, twice, or missing, so that everything is
 * read again where it counts. It connects again by itself, and hints then, because something may have been missed.
 */
export class HintSocket {
  readonly #listeners: Array<() => void> = [];
  #socket: WebSocket | undefined;
  #retryMs: number;
  #retry: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: HintSocketOptions) {
    this.#retryMs = options.retryMs ?? DEFAULT_RETRY_MS;
    this.#connect();
  }

  /** Calls back when something may be paid. */
  onHint(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Hints no more. */
  close(): void {
    this.#closed = true;
    for (const timer of [this.#retry, this.#silence, this.#gathering]) clearTimeout(timer);
    this.#socket?.terminate();
  }

  #connect(): void {
    const { url, key, clock } = this.options;
    const signed = { method: 'GET', path: new URL(url).pathname, timestampMs: clock.nowMs() } as const;
    const socket = new WebSocket(url, {
      headers: signKalshiRequest(key, signed),
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
    });
    this.#socket = socket;
    socket.on('open', () => {
      socket.send(SUBSCRIBE);
      this.#heard();
    });
    socket.on('ping', () => this.#heard());
    socket.on('message', (data) => {
      this.#heard();
      this.#read(data);
    });
    // A close follows.
    socket.on('error', (err) =>
      this.options.logger.info({ event: 'exchange_stream.disconnected', err }, 'Exchange stream lost; reconnecting'),
    );
    socket.on('close', () => this.#again());
  }

  #read(data: RawData): void {
    const { type, msg } = readMessage(data);
    if (type === 'subscribed') {
      this.#retryMs = this.options.retryMs ?? DEFAULT_RETRY_MS;
      this.#hint();
    } else if (type === 'error') {
      const fields = { event: 'exchange_stream.request_rejected', upstreamError: readKalshiError(msg) } as const;
      this.options.logger.warn(fields, 'Exchange stream rejected the subscription');
    } else if (PAYS.has(String(msg?.['event_type']))) {
      this.#hint();
    }
  }

  #hint(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const listener of this.#listeners) listener();
    }, GATHER_MS).unref();
  }

  #heard(): void {
    clearTimeout(this.#silence);
    const silenceMs = this.options.silenceMs ?? DEFAULT_SILENCE_MS;
    this.#silence = setTimeout(() => this.#socket?.terminate(), silenceMs).unref();
  }

  #again(): void {
    clearTimeout(this.#silence);
    if (this.#closed) return;
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs).unref();
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }
}

interface Message {
  readonly type: string;
  readonly msg: Readonly<Record<string, unknown>> | undefined;
}

function readMessage(data: RawData): Message {
  try {
    const { type, msg } = JSON.parse((data as Buffer).toString('utf8')) as { type?: unknown; msg?: unknown };
    const body = typeof msg === 'object' && msg !== null ? (msg as Record<string, unknown>) : undefined;
    return { type: String(type), msg: body };
  } catch {
    return { type: '', msg: undefined };
  }
}
