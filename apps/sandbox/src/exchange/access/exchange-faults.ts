import { setTimeout as sleep } from 'node:timers/promises';
import type { ArmedFault, FaultBoard } from '../../faults/fault-board.js';
import type { JsonReply } from '../../http/json-server.js';

const PREFIX = '/trade-api/v2';

/** What a fault may be meant for: paths behind the API's prefix. */
interface FaultPlace {
  readonly method: string;
  readonly path: string;
  readonly tickers?: readonly string[] | undefined;
  /** Whether a fault acts here that names neither method nor path. */
  readonly byDefault: boolean;
}

/** The API's own words for a caller that asks too often: no code, and nothing about when to come back. */
export const TOO_MANY_REQUESTS: JsonReply = { status: 429, body: { error: 'too many requests' } };

/** What a broken exchange says. */
export const INTERNAL_ERROR: JsonReply = {
  status: 500,
  body: { error: { code: 'internal_server_error', message: 'internal server error', service: 'exchange' } },
};

/** Uses up a fault of the exchange; its path may be written with the API's prefix or without. */
export function takeFault(faults: FaultBoard, fault: string, place: FaultPlace): ArmedFault | undefined {
  const { method, path, byDefault, tickers = [] } = place;
  const subject = { method, byDefault, tickers: () => new Set(tickers) };
  return (
    faults.take('exchange', fault, { ...subject, path }) ??
    faults.take('exchange', fault, { ...subject, path: PREFIX + path })
  );
}

/** Faults before anything is done: a delay, too many requests, an error. A reply ends the request. */
export async function frontFault(faults: FaultBoard, place: FaultPlace): Promise<JsonReply | undefined> {
  const delay = takeFault(faults, 'delay', place);
  if (delay) await sleep(delay.delayMs);
  if (takeFault(faults, 'error429', place)) return TOO_MANY_REQUESTS;
  return takeFault(faults, 'error500', place) && INTERNAL_ERROR;
}

/** Whether a request changes orders: what faults are meant for that name no path. */
export function isOrderWrite(method: string, path: string): boolean {
  return method !== 'GET' && /^\/portfolio\/events\/orders(\/|$)/.test(path);
}

/** Whether its body has to be read before it is known which market it is about. */
export function isOrderCreation(method: string, path: string): boolean {
  return method === 'POST' && path === '/portfolio/events/orders';
}

/** The path behind the API's prefix. */
export function behindPrefix(path: string): string {
  return path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path;
}
