import { sleep } from '@agent-wallet/kernel';
import WebSocket from 'ws';

/** Signals that the chain moved on, by a node's WebSocket. Only a hint: it may come late, twice or never. */
export interface NewSlots {
  /** Calls back at every new slot that is heard of. @returns what ends that */
  onSlot(listener: () => void): () => void;
  close(): void;
}

/** Options of the WebSocket connection to the node. */
interface NewSlotsOptions {
  /** A node's WebSocket, ws or wss. May contain a secret: it is never put into errors. */
  readonly wsUrl: string;
  /** Pause before the first try to connect again; doubles up to a minute. Default 1 000 ms. */
  readonly retryMs?: number;
  /** Silence after which the node is connected to again: a slot takes 400 ms. Default 10 000 ms. */
  readonly silenceMs?: number;
}

const MAX_RETRY_MS = 60_000;
const MAX_MESSAGE_BYTES = 64 * 1024;
const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' });

/** Returns the usual WebSocket URL of a node with this http or https URL: the same host and path. */
export function webSocketUrlOf(rpcUrl: string): string {
  return rpcUrl.replace(/^http/, 'ws');
}

/** Listens to a node until it is closed. */
export function openNewSlots({ wsUrl, retryMs = 1_000, silenceMs = 10_000 }: NewSlotsOptions): NewSlots {
  const ending = new AbortController();
  const listeners = new Set<() => void>();
  const moved = (): void => {
    for (const listener of listeners) listener();
  };
  void listen({ wsUrl, retryMs, silenceMs, signal: ending.signal, moved });
  return {
    onSlot: (listener) => {
      // Wrapped, so that the same function given twice is two listeners.
      const own = (): void => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    close: () => ending.abort(),
  };
}

interface Listening extends Required<NewSlotsOptions> {
  readonly signal: AbortSignal;
  readonly moved: () => void;
}

async function listen({ moved, signal, ...options }: Listening): Promise<void> {
  let failures = 0;
  const heard = (): void => {
    failures = 0;
    moved();
  };
  while (!signal.aborted) {
    await connection({ ...options, signal, moved: heard });
    await sleep(Math.min(options.retryMs * 2 ** failures, MAX_RETRY_MS), signal).catch(() => {});
    failures = Math.min(failures + 1, 20);
  }
}

/** Runs one connection until it ends for any reason. */
function connection({ wsUrl, silenceMs, signal, moved }: Listening): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(wsUrl, { handshakeTimeout: silenceMs, maxPayload: MAX_MESSAGE_BYTES });
    const end = (): void => socket.terminate();
    const silence = setTimeout(end, silenceMs);
    silence.unref();
    signal.addEventListener('abort', end, { once: true });
    socket.on('open', () => socket.send(SUBSCRIBE));
    socket.on('message', (data: Buffer) => {
      silence.refresh();
      if (data.includes('slotNotification')) moved();
    });
    // After any error `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}
