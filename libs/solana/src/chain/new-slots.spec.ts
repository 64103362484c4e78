import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type NewSlots, openNewSlots, webSocketUrlOf } from './new-slots.js';

const NOTIFICATION = JSON.stringify({
  jsonrpc: '2.0',
  method: 'slotNotification',
  params: { result: { parent: 6, root: 1, slot: 7 }, subscription: 1 },
});

let node: WebSocketServer;
let slots: NewSlots;
let subscribers: WebSocket[];

async function startNode(port = 0): Promise<void> {
  subscribers = [];
  node = new WebSocketServer({ host: '127.0.0.1', port });
  node.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      expect(JSON.parse(data.toString())).toMatchObject({ method: 'slotSubscribe' });
      socket.send('{"jsonrpc":"2.0","result":1,"id":1}');
      subscribers.push(socket);
      node.emit('subscribed');
    });
  });
  await once(node, 'listening');
}

/** The next new slot that is heard of. */
function nextSlot(): Promise<void> {
  return new Promise((resolve) => {
    const leave = slots.onSlot(() => {
      leave();
      resolve();
    });
  });
}

function portOf(server: WebSocketServer): number {
  return (server.address() as AddressInfo).port;
}

async function stopNode(): Promise<void> {
  for (const socket of node.clients) socket.terminate();
  await new Promise((resolve) => node.close(resolve));
}

beforeEach(async () => {
  await startNode();
  slots = openNewSlots({ wsUrl: `ws://127.0.0.1:${portOf(node)}`, retryMs: 5, silenceMs: 60_000 });
  await once(node, 'subscribed');
});

afterEach(async () => {
  slots.close();
  await stopNode();
});

it('every waiter is notified of the next slot', async () => {
  const waiting = Promise.all([nextSlot(), nextSlot()]);
  subscribers[0]!.send(NOTIFICATION);
  await expect(waiting).resolves.toHaveLength(2);
});

it('a listener that has left is notified no more', async () => {
  let notified = 0;
  const leave = slots.onSlot(() => (notified += 1));
  const first = nextSlot();
  subscribers[0]!.send(NOTIFICATION);
  await first;
  leave();
  const second = nextSlot();
  subscribers[0]!.send(NOTIFICATION);
  await second;
  expect(notified).toBe(1);
});

it('a message without a new slot wakes no waiter', async () => {
  let woken = false;
  const waiting = nextSlot().then(() => (woken = true));
  subscribers[0]!.send('{"jsonrpc":"2.0","method":"rootNotification","params":{"result":1,"subscription":2}}');
  subscribers[0]!.ping();
  await once(subscribers[0]!, 'pong');
  expect(woken).toBe(false);
  subscribers[0]!.send(NOTIFICATION);
  await waiting;
});

it('a node that went away is heard again when it is back', async () => {
  const waiting = nextSlot();
  const port = portOf(node);
  await stopNode();
  await startNode(port);
  await once(node, 'subscribed');
  subscribers[0]!.send(NOTIFICATION);
  await waiting;
});

it('a node that falls silent is connected to again', async () => {
  const quick = openNewSlots({ wsUrl: `ws://127.0.0.1:${portOf(node)}`, retryMs: 1, silenceMs: 50 });
  await once(node, 'subscribed');
  await once(node, 'subscribed');
  quick.close();
});

it('once closed it leaves the node alone', async () => {
  const left = once(subscribers[0]!, 'close');
  slots.close();
  await left;
});

it('a node is heard where it is asked', () => {
  expect(webSocketUrlOf('https://rpc.example/?key=1')).toBe('wss://rpc.example/?key=1');
  expect(webSocketUrlOf('http://127.0.0.1:8899')).toBe('ws://127.0.0.1:8899');
});
