import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultBoard, type FaultSubject } from '../../faults/fault-board.js';
import { writeJson } from '../../encoding/json.js';
import { parseKey } from '../../encoding/keys.js';
import { JournalNotWritten } from '../../journal/journal-not-written.js';
import type { Chain } from '../chain.js';
import { readTransaction } from '../message.js';
import { accountMethods } from './account-methods.js';
import { blockMethods } from './block-methods.js';
import { RpcCall } from './call.js';
import { chainMethods } from './chain-methods.js';
import { historyMethods } from './history-methods.js';
import type { Methods } from './methods.js';
import { ReplyLost } from '../../http/reply-lost.js';
import { HttpRefusal } from './reply-faults.js';
import { RpcCode, RpcError } from './rpc-error.js';
import { addressesOf, type SendingContext, sendingMethods } from './sending-methods.js';

/** Reads that a lagging node answers from its past when the fault names no method. */
const STATE_READS = new Set([
  ...Object.keys(accountMethods),
  'getSignatureStatuses',
  'getBlock',
  'getTransaction',
  'getSignaturesForAddress',
]);

const MOST_CALLS_IN_A_BATCH = 100;

/** Answers JSON-RPC, one call or a batch, with the chain's faults in between. */
export class RpcService {
  private readonly methods: Methods;
  private readonly chain: Chain;
  private readonly faults: FaultBoard;

  constructor(context: SendingContext) {
    this.chain = context.chain;
    this.faults = context.faults;
    this.methods = {
      ...chainMethods,
      ...accountMethods,
      ...historyMethods,
      ...blockMethods,
      ...sendingMethods(context),
    };
  }

  /** Answers a request's body. @throws HttpRefusal, ReplyLost when a fault wants the HTTP exchange to fail */
  async answer(body: string): Promise<string> {
    let request: unknown;
    try {
      request = JSON.parse(body);
    } catch {
      return failure(null, new RpcError(RpcCode.parseError, 'Parse error'));
    }
    if (!Array.isArray(request)) return this.answerOne(request);
    if (request.length === 0 || request.length > MOST_CALLS_IN_A_BATCH) {
      return failure(null, new RpcError(RpcCode.invalidRequest, 'Invalid request'));
    }
    return `[${(await Promise.all(request.map((one) => this.answerOne(one)))).join(',')}]`;
  }

  private async answerOne(putative: unknown): Promise<string> {
    const request = putative as { id?: unknown; method?: unknown; params?: unknown } | null;
    const id = request?.id ?? null;
    try {
      const { method, params = [] } = request ?? {};
      if (typeof method !== 'string') throw new RpcError(RpcCode.invalidRequest, 'Invalid request');
      if (!Array.isArray(params)) throw new RpcError(RpcCode.invalidParams, '`params` should be an array');
      const run = Object.hasOwn(this.methods, method) ? this.methods[method] : undefined;
      if (!run) throw new RpcError(RpcCode.methodNotFound, 'Method not found');
      const lagMs = this.faults.list().length === 0 ? 0 : await this.disturb(method, params);
      const result = run(new RpcCall(this.chain, this.chain.view(lagMs), params));
      return success(id, result instanceof Promise ? await result : result);
    } catch (error) {
      if (error instanceof HttpRefusal || error instanceof ReplyLost) throw error;
      if (error instanceof RpcError) return failure(id, error);
      if (error instanceof JournalNotWritten) return failure(id, new RpcError(RpcCode.internal, error.message));
      process.emitWarning(error as Error);
      return failure(id, new RpcError(RpcCode.internal, 'Internal error'));
    }
  }

  /** Lets armed faults act before the method does; answers how far behind its view is. */
  private async disturb(method: string, params: readonly unknown[]): Promise<number> {
    const addresses = (): ReadonlySet<string> => this.addressesIn(method, params);
    const subject: FaultSubject = { method, addresses, byDefault: true };
    if (this.faults.take('chain', 'error429', subject))
      throw new HttpRefusal(429, 'Too many requests for a specific RPC call');
    if (this.faults.take('chain', 'error500', subject)) throw new HttpRefusal(500, 'Internal error');
    // Sending has a delay of its own: the landing is late, not the answer.
    const delay = method !== 'sendTransaction' && this.faults.take('chain', 'delay', { ...subject, byDefault: false });
    if (delay) await sleep(delay.delayMs);
    const lag = this.faults.take('chain', 'lagStatus', { ...subject, byDefault: STATE_READS.has(method) });
    return lag?.delayMs ?? 0;
  }

  /** Addresses a call is about: its parameters', and those of transactions it sends or names by signature. */
  private addressesIn(method: string, params: readonly unknown[]): ReadonlySet<string> {
    const found = new Set<string>();
    for (const text of params.flat().filter((p) => typeof p === 'string')) {
      found.add(text);
      const signature = parseKey(text, 64);
      const landed = signature && this.chain.ledger.get(signature);
      if (landed) addTo(found, addressesOf(readTransaction(this.chain.ledger.read(landed).wire)));
    }
    if (method === 'sendTransaction' || method === 'simulateTransaction') addTo(found, sentAddresses(params));
    return found;
  }
}

function sentAddresses([text, config]: readonly unknown[]): ReadonlySet<string> {
  if (typeof text !== 'string') return new Set();
  try {
    const isBase64 = (config as { encoding?: unknown } | undefined)?.encoding === 'base64';
    return isBase64 ? addressesOf(readTransaction(Buffer.from(text, 'base64'))) : new Set();
  } catch {
    return new Set();
  }
}

function addTo(found: Set<string>, more: ReadonlySet<string>): void {
  for (const one of more) found.add(one);
}

function success(id: unknown, result: unknown): string {
  return `{"jsonrpc":"2.0","result":${writeJson(result)},"id":${writeJson(id)}}`;
}

function failure(id: unknown, { code, message, data }: RpcError): string {
  return writeJson({ jsonrpc: '2.0', error: { code, message, data }, id });
}
