import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sleep } from '@agent-wallet/kernel';
import { random } from './random.js';

interface Call {
  readonly method: string;
  readonly id: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Changes what the true node answered; undefined answers 429. */
type Fault = (call: Call, answer: Json) => Json | undefined;

const SLOTS_AHEAD = 100_000;
const SEED = 20_261_129;

/** Changes the results of some methods. */
const ofResult =
  <Result = unknown>(methods: readonly string[], change: (result: Result) => unknown): Fault =>
  (call, answer) =>
    methods.includes(call.method) && answer['result'] !== undefined
      ? { ...answer, result: change(answer['result'] as Result) }
      : answer;

/** A node's result with the slot that it is of. */
interface AtSlot<Value> {
  readonly context: { readonly slot: number };
  readonly value: Value;
}

/** Changes the values of one method, which come with their slot. */
const ofValue = <Value>(method: string, change: (value: Value, slot: number) => unknown): Fault =>
  ofResult<AtSlot<Value>>([method], ({ context, value }) => ({ context, value: change(value, context.slot) }));

/** States the same of every signature. */
const ofStatuses = (status: (slot: number) => Json | null): Fault =>
  ofValue<readonly unknown[]>('getSignatureStatuses', (all, slot) => all.map(() => status(slot)));

const landed = (err: unknown) => (slot: number) => ({
  ...{ slot, err, confirmations: null, confirmationStatus: 'finalized' },
});

interface EpochInfo extends Json {
  readonly absoluteSlot: number;
  readonly blockHeight: number;
}

/** The ways in which a node is wrong. */
const FAULTS: Readonly<Record<string, Fault>> = {
  forgets: ofStatuses(() => null),
  'invents landings': ofStatuses(landed(null)),
  'invents failures': ofStatuses(landed({ InstructionError: [0, 'GenericError'] })),
  'loses history': ofResult(['getTransaction', 'getSignaturesForAddress'], (found) =>
    Array.isArray(found) ? [] : null,
  ),
  'runs ahead': ofResult<EpochInfo>(['getEpochInfo'], (info) => ({
    ...info,
    ...{ absoluteSlot: info.absoluteSlot + SLOTS_AHEAD, blockHeight: info.blockHeight + SLOTS_AHEAD },
  })),
  'stands still': ofResult<EpochInfo>(['getEpochInfo'], (info) => ({ ...info, absoluteSlot: 1, blockHeight: 1 })),
  'ends blockhashes early': ofValue<Json>('getLatestBlockhash', (value) => ({ ...value, lastValidBlockHeight: 1 })),
  'fails simulations': ofValue<Json>('simulateTransaction', (value) => ({ ...value, err: 'AccountNotFound' })),
  'states other balances': ofValue<ReadonlyArray<{ readonly lamports: number } | null>>('getMultipleAccounts', (all) =>
    all.map((account) => account && { ...account, lamports: account.lamports + 1_000_000_000 }),
  ),
  'has too many calls': () => undefined,
};

/** A node between services and the true one. */
export interface FaultyNode {
  readonly url: string;
  /** Faults that it has shown. */
  readonly shown: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * Opens a node that passes calls on to the true one, and is wrong in one of ten ways in a share of its answers.
 * @param percent share of wrong answers; 0 for an honest one
 * @param delayMs time that each answer takes
 */
export async function openFaultyNode(
  rpcUrl: string,
  { percent, delayMs }: { readonly percent: number; readonly delayMs: number },
): Promise<FaultyNode> {
  const draw = random(SEED);
  const names = Object.keys(FAULTS);
  const shown = new Set<string>();
  const server: Server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const answered = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const text = await answered.text();
      await sleep(delayMs);
      if (draw(100) >= percent) return response.end(text);
      const name = names[draw(names.length)]!;
      const changed = FAULTS[name]!(JSON.parse(body) as Call, JSON.parse(text) as Json);
      shown.add(name);
      if (changed) return response.end(JSON.stringify(changed));
      return response.writeHead(429, { 'retry-after': '1' }).end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Names of the ways in which a node can be wrong. */
export const FAULT_NAMES = Object.keys(FAULTS);
