import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { writeJson } from '../../encoding/json.js';
import type { JsonReply, RequestHead } from '../../http/json-server.js';
import type { Exchange, ExchangeEvent } from '../engine/exchange.js';
import { exchangeFailure } from '../rest/exchange-error.js';
import { notFound } from '../rest/read-query.js';
import { Session, tickerOf } from './session.js';

export const SOCKET_PATH = '/trade-api/ws/v2';

const MESSAGE_LIMIT_BYTES = 1 << 20;
const PING_MS = 10_000;
/** A client that reads slower than this fills up is cut off. */
const MOST_UNREAD_BYTES = 8 << 20;
/** Many changes of a market in a moment are one message to `ticker`. */
const TICKER_MS = 100;

interface SocketOptions {
  readonly server: Server;
  readonly exchange: Exchange;
  /** The signature of the handshake; a reply refuses it. */
  readonly admit: (head: RequestHead) => JsonReply | undefined | Promise<JsonReply | undefined>;
  readonly pingMs?: number;
}

/** The exchange's WebSocket door. `close` ends its clients. */
export function openExchangeSocket(options: SocketOptions): { close(): void } {
  const { server, exchange, admit, pingMs = PING_MS } = options;
  const door = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT_BYTES });
  const feed = new Feed(exchange);
  server.on('upgrade', (request, socket, head) => {
    // A client that hangs up before there is a WebSocket must not end the process.
    socket.on('error', () => socket.destroy());
    void refusalOf(request, admit).then((refusal) => {
      if (refusal) refuse(socket, refusal);
      else door.handleUpgrade(request, socket, head, (ws) => feed.serve(ws));
    });
  });
  const stop = exchange.on((event) => feed.tell(event));
  const heartbeat = setInterval(() => door.clients.forEach((ws) => ws.ping('heartbeat')), pingMs).unref();
  return {
    close: () => {
      stop();
      clearInterval(heartbeat);
      feed.stop();
      for (const ws of door.clients) ws.terminate();
    },
  };
}

async function refusalOf(request: IncomingMessage, admit: SocketOptions['admit']): Promise<JsonReply | undefined> {
  const { method = 'GET', url = '/', headers } = request;
  try {
    const { pathname, searchParams } = new URL(url, 'http://sandbox');
    if (pathname !== SOCKET_PATH) throw notFound('no such path');
    return await admit({ method, path: pathname, query: searchParams, headers });
  } catch (error) {
    return exchangeFailure(error);
  }
}

function refuse(socket: Duplex, { status = 400, body }: JsonReply): void {
  const text = writeJson(body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json`;
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** Passes on what happens to every client. */
class Feed {
  private readonly sessions = new Set<Session>();
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly exchange: Exchange) {}

  serve(ws: WebSocket): void {
    const session = new Session(this.exchange, (frame) => send(ws, frame));
    this.sessions.add(session);
    ws.on('message', (data) => session.handle((data as Buffer).toString()));
    ws.on('close', () => this.sessions.delete(session));
    ws.on('error', () => ws.terminate());
  }

  tell(event: ExchangeEvent): void {
    if (this.sessions.size === 0) return;
    for (const session of this.sessions) session.tell(event);
    if (event.kind !== 'book' && event.kind !== 'trade') return;
    this.changed.add(tickerOf(event));
    this.timer ??= setTimeout(() => this.publishTickers(), TICKER_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private publishTickers(): void {
    this.timer = undefined;
    for (const ticker of this.changed) for (const session of this.sessions) session.publishTicker(ticker);
    this.changed.clear();
  }
}

function send(ws: WebSocket, frame: unknown): void {
  if (ws.readyState !== WebSocket.OPEN) return;
  if (ws.bufferedAmount > MOST_UNREAD_BYTES) ws.terminate();
  else ws.send(writeJson(frame));
}
