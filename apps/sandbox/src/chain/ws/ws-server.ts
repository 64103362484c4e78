import type { Server } from 'node:http';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { writeJson } from '../../encoding/json.js';
import type { Chain } from '../chain.js';
import { accountFormat } from '../rpc/account-encoding.js';
import { asKey, RpcCall } from '../rpc/call.js';
import { invalidParams, RpcCode, RpcError } from '../rpc/rpc-error.js';
import {
  accountSubscription,
  logsSubscription,
  rootSubscription,
  signatureSubscription,
  slotSubscription,
  type Subscription,
} from './subscription.js';
import type { SubscriptionHub } from './subscription-hub.js';

const MESSAGE_LIMIT_BYTES = 1 << 20;

/** The node's WebSocket door, which opens on the HTTP servers given. */
export function openWebSocketServer(chain: Chain, hub: SubscriptionHub, servers: readonly Server[]): WebSocketServer {
  const door = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT_BYTES });
  for (const server of servers) {
    server.on('upgrade', (request, socket, head) => {
      door.handleUpgrade(request, socket, head, (ws) => serve(ws, chain, hub));
    });
  }
  return door;
}

const SUBSCRIBE: Readonly<Record<string, (call: RpcCall) => Subscription>> = {
  signatureSubscribe: (call) => signatureSubscription(call.chain, call.signature(0), call.commitment(call.config(1))),
  accountSubscribe: (call) =>
    accountSubscription(call.chain, call.key(0), call.commitment(call.config(1)), accountFormat(call.config(1))),
  logsSubscribe: (call) => logsSubscription(call.chain, mentioned(call), call.commitment(call.config(1))),
  slotSubscribe: (call) => slotSubscription(call.chain),
  rootSubscribe: (call) => rootSubscription(call.chain),
};

const UNSUBSCRIBE = new Set(Object.keys(SUBSCRIBE).map((name) => name.replace('Subscribe', 'Unsubscribe')));

function serve(ws: WebSocket, chain: Chain, hub: SubscriptionHub): void {
  const own = new Set<number>();
  const notify = (method: string, subscription: number, result: unknown): void => {
    if (ws.readyState === WebSocket.OPEN)
      ws.send(writeJson({ jsonrpc: '2.0', method, params: { result, subscription } }));
  };
  const handle = (method: string, params: readonly unknown[]): unknown => {
    if (UNSUBSCRIBE.has(method)) {
      const id = params[0];
      if (typeof id !== 'number' || !own.delete(id))
        throw new RpcError(RpcCode.invalidParams, 'Invalid subscription id.');
      hub.remove(id);
      return true;
    }
    const subscribe = Object.hasOwn(SUBSCRIBE, method) ? SUBSCRIBE[method] : undefined;
    if (!subscribe) throw new RpcError(RpcCode.methodNotFound, 'Method not found');
    const id = hub.add(subscribe(new RpcCall(chain, chain.view(), params)), notify);
    own.add(id);
    return id;
  };
  ws.on('message', (data) => ws.send(answer(data, handle)));
  ws.on('close', () => own.forEach((id) => hub.remove(id)));
  ws.on('error', () => ws.terminate());
}

function answer(data: RawData, handle: (method: string, params: readonly unknown[]) => unknown): string {
  let id: unknown = null;
  try {
    const request = JSON.parse((data as Buffer).toString()) as {
      id?: unknown;
      method?: unknown;
      params?: unknown;
    } | null;
    id = request?.id ?? null;
    const { method, params = [] } = request ?? {};
    if (typeof method !== 'string' || !Array.isArray(params))
      throw new RpcError(RpcCode.invalidRequest, 'Invalid request');
    return writeJson({ jsonrpc: '2.0', result: handle(method, params), id });
  } catch (error) {
    const known = error instanceof RpcError ? error : new RpcError(RpcCode.parseError, 'Parse error');
    return writeJson({ jsonrpc: '2.0', error: { code: known.code, message: known.message, data: known.data }, id });
  }
}

/** "all", "allWithVotes", or the one account that must be named. */
function mentioned(call: RpcCall): ReturnType<typeof asKey> | undefined {
  const filter = call.required(0);
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const mentions = (filter as { mentions?: unknown }).mentions;
  if (!Array.isArray(mentions) || mentions.length !== 1) throw invalidParams('mentions: exactly one address');
  return asKey(mentions[0]);
}
