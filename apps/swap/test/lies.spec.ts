import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, namedToken } from '@agent-wallet/kernel';
import { type Lies, startProxy } from './proxy.js';
import { type ScriptedAggregator } from './scripted-aggregator.js';
import { type CopyOptions, SwapWorld } from './world.js';

let world: SwapWorld;
let proxy: ScriptedAggregator | undefined;

beforeAll(async () => {
  world = await SwapWorld.open();
});
afterEach(async () => {
  await world.stopCopies();
  await proxy?.close();
});
afterAll(() => world?.close());

/** What a trade of 20 USDC for WIF comes to when the aggregator lies like that. */
async function lied(lies: Lies, options: CopyOptions = {}): Promise<{ error: AppError; signed: number; lost: bigint }> {
  proxy = await startProxy(world.sandbox.aggregatorUrl, lies);
  const { trade } = world.copy({ aggregatorUrl: proxy.url, ...options });
  const agent = await world.agent({ SOL: 1, USDC: 100, ORCA: 100 });
  const before = world.signer.signed.size;
  const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
  const error: unknown = await trade.execute(call).catch((found: unknown) => found);
  if (!(error instanceof AppError)) throw new Error('the lie was believed');
  const [usdc] = await world.holdings(agent, 'USDC');
  return { error, signed: world.signer.signed.size - before, lost: 100_000_000n - usdc! };
}

const USDC = namedToken('USDC')!.mint;
const ORCA = namedToken('ORCA')!.mint;

describe('an aggregator that answers something else than was asked', () => {
  /** The words agree with the question; the transaction is another one. */
  const echoing: NonNullable<Lies['answer']> = (order, query) => ({
    ...order,
    ...{ inputMint: query['inputMint'], outputMint: query['outputMint'], inAmount: query['amount'] },
    ...{ taker: query['taker'], slippageBps: Number(query['slippageBps']) },
  });
  const cases: Array<[string, () => Promise<Lies> | Lies]> = [
    ['for another taker', async () => ({ ask: await asking({ taker: await another() }), answer: echoing })],
    ['for more of the input', async () => ({ ask: await asking({ amount: '21000000' }), answer: echoing })],
    ['for less of the input', async () => ({ ask: await asking({ amount: '19000000' }), answer: echoing })],
    ['for another output', async () => ({ ask: await asking({ outputMint: ORCA }), answer: echoing })],
    [
      'the other way round',
      async () => ({ ask: await asking({ inputMint: ORCA, outputMint: USDC }), answer: echoing }),
    ],
    ['with more slippage', async () => ({ ask: await asking({ slippageBps: '51' }), answer: echoing })],
    ['with all the slippage', async () => ({ ask: await asking({ slippageBps: '5000' }), answer: echoing })],
    ['with another mint in its words', () => ({ answer: (order) => ({ ...order, outputMint: ORCA }) })],
    ['with another amount in its words', () => ({ answer: (order) => ({ ...order, inAmount: '1' }) })],
    ['without a taker in its words', () => ({ answer: (order) => ({ ...order, taker: null }) })],
    [
      'promising more than the transaction holds',
      () => ({ answer: (order) => ({ ...order, outAmount: '99999999999' }) }),
    ],
    ['with a fee that it does not name', () => ({ answer: (order) => ({ ...order, feeBps: 0 }) })],
    ['with bytes that are none', () => ({ answer: (order) => ({ ...order, transaction: 'AAAA' }) })],
    ['with half a transaction', () => ({ answer: (order) => ({ ...order, transaction: halfOf(order) }) })],
    ['of a maker though none may', async () => ({ ask: await asking({ excludeRouters: 'metis,dflow,okx' }) })],
  ];

  it.each(cases)('%s is not signed', async (_, lies) => {
    const { error, signed, lost } = await lied(await lies());
    expect(error).toMatchObject({ code: 'UNSAFE_TRANSACTION', data: {}, details: [] });
    expect({ signed, lost }).toEqual({ signed: 0, lost: 0n });
    expect(world.lines).toContain('"event":"trade.offer_refused"');
  });

  const asking = async (change: Record<string, string>): Promise<NonNullable<Lies['ask']>> => {
    await world.chain.head();
    return (query) => ({ ...query, ...change });
  };
  const another = async (): Promise<string> => (await world.agent({ SOL: 1, USDC: 100, ORCA: 100 })).address;
});

describe('an aggregator that cannot', () => {
  const without = (errorCode: number, router = 'metis'): Lies => ({
    answer: (order) => ({ ...order, router, transaction: '', errorCode, errorMessage: 'words of a stranger' }),
  });

  it.each([
    [1, 'metis', 'INSUFFICIENT_FUNDS'],
    [2, 'metis', 'INSUFFICIENT_FUNDS'],
    [3, 'metis', 'INSUFFICIENT_FUNDS'],
    [4, 'metis', 'NO_ROUTE'],
    [1, 'jupiterz', 'INSUFFICIENT_FUNDS'],
    [2, 'jupiterz', 'NO_ROUTE'],
    [3, 'jupiterz', 'NO_ROUTE'],
  ])('and says %d of %s ends with %s', async (errorCode, router, code) => {
    const { error, signed } = await lied(without(errorCode, router));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('stranger');
    expect(signed).toBe(0);
  });

  it('and would pay for the wallet is not asked to', async () => {
    const { error, signed } = await lied({ answer: (order) => ({ ...order, gasless: true }) });
    expect(error).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: { asset: 'SOL' } });
    expect(signed).toBe(0);
  });

  it('and gives no transaction at all is broken', async () => {
    const { error } = await lied({ answer: (order) => ({ ...order, transaction: null }) });
    expect(error.code).toBe('UPSTREAM_ERROR');
  });
});

function halfOf({ transaction }: Record<string, unknown>): string {
  const bytes = Buffer.from(String(transaction), 'base64');
  return bytes.subarray(0, bytes.length / 2).toString('base64');
}
