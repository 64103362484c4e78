import { MessageRefused } from '@agent-wallet/solana/checks';
import { describe, expect, it } from '@jest/globals';
import { JUPITER_PROGRAM } from '../programs.js';
import { MAKER, walletOf } from '../testing/actors.js';
import { honestSwaps } from '../testing/corpus.js';
import { SOL, USDC } from '../testing/scenarios.js';
import { minimumOutput, readRoute } from './read-route.js';
import { readRouteInstruction } from './route-instruction.js';

/** A transaction of mainnet without its signatures: taker and a maker's authority sign; a route with one leg. */
const MAINNET_MESSAGE = [
  'gAIBBQuWmpufqjVYZfnyuFyDIYJfGWS2mAfjxKCUSfgP6ocw/3bk5le5izsp4223iXZnE4grlusUmzXQL4KHUihpkIa4FRxK4rsywvjpGrtIXvcw',
  'lTqIfhWBjuSSKYumfXogybHMphZItU08AEZ6ahGHYgLn6pzxnUhwhDZJYTR1tfeVfdtjecj/osn4Wsppt6OzLN+qBRRBwfnZU+16g1g0LNZ01wzd',
  'bD2DjJmsVeUGo84syt1HfCXTCpDzC/xmIqVkziGGVoqJoXHQv3NrqnA8ud4Fpk5exDk5GSvBfPxu23BzewMGRm/lIRcy/+ytunLDm+e8jOW7xfcS',
  'ayxDmzpAAAAACeTUjwGeOKmNaN8QhVjkQuAyPqrOdqWbR2vIsdN/sy4EedVb8jHAbu50xW7OaBUH/bGy3qP0jlECsc2iVrwTjwan1RcYe9FmNdrU',
  'BFX9wsDBJMaPIVZ1pdu6y18IAAAASNIEZ4DY6P0pwzwN89l81A/PZUIvzSKvmhMEoq6GJccDBwAFAjrVAAAHAAkDQCsAAAAAAAAJFwACAwYMDg4J',
  'CwkIAAECAwQFBgwODgoNWLtk+swxxK8UAAk9AAAAAADYNAwAAAAAADIAAAAAAAEAAAB4ASwAAACVbp1pAAAAAAEAAAAAAAAAQEIPAAAAAAABAAAA',
  'Ng0DAAAAAADoAwAAAAAAABAnAAEBKb+VBypPvwTfcXWT5zi8zCEnKBXCRxqA2fn1VbDUhCUABAAoAhQ=',
].join('');

/** Instruction data of mainnet, and what they say: input, quoted output, slippage, fee. */
const MAINNET_DATA = [
  {
    data: 'u2T6zDHErxSguw0AAAAAAA26chcGAAAAwgEKAAAAAwAAAHQAECcAAZcBECcBApMQJwID',
    terms: [900_000n, 26_163_198_477n, 450, 10],
  },
  {
    data: 'u2T6zDHErxSGZzGlhw0AAFbwqD0AAAAAZAAKAAAAAQAAAGIQJwAB',
    terms: [14_876_243_224_454n, 1_034_481_750n, 100, 10],
  },
  {
    data: '0ZhTk3z+2OkGgJaYAAAAAABzExIAAAAAADIAAAAAAAMAAAARAe8kAAIRASECAAJoARAnAgM=',
    terms: [10_000_000n, 1_184_627n, 50, 0],
  },
  {
    data: '0ZhTk3z+2OkLABCl1OgAAADOwi86AAAAAGQADAAAAAQAAABpECcAAVYA/pABAQRWAP6QAQEEXwDwIwEE',
    terms: [1_000_000_000_000n, 976_208_590n, 100, 12],
  },
] as const;

const named = (name: string) => honestSwaps(walletOf('wallet')).find((each) => each.name === name)!;

describe('reading a route', () => {
  it.each(MAINNET_DATA)('takes the terms of mainnet data %#', ({ data, terms }) => {
    const accounts = Array.from({ length: 12 }, (_, i) => `account ${i}`);
    const trade = { program: JUPITER_PROGRAM, accounts, data: Buffer.from(data, 'base64') };
    const { inputAmount, quotedOutputAmount, slippageBps, platformFeeBps, positiveSlippageBps } =
      readRouteInstruction(trade);
    expect([inputAmount, quotedOutputAmount, slippageBps, platformFeeBps]).toEqual(terms);
    expect(positiveSlippageBps).toBe(0);
  });

  it('takes the terms of a whole message of mainnet, whose second mint stands in a table', () => {
    const message = Buffer.from(MAINNET_MESSAGE, 'base64');
    const resolved = ['token program of a table', 'mint', 'b', 'c'].map((name) => Buffer.alloc(32, name));
    expect(readRoute(message, resolved)).toMatchObject({
      form: 'route_v2',
      inputAmount: 4_000_000n,
      quotedOutputAmount: 799_960n,
      slippageBps: 50,
      platformFeeBps: 0,
      positiveSlippageBps: 0,
      cosigner: undefined,
      inputMint: 'A3QAoKnf3jFcCfTGvEpE7KVBMZqXQJwvwt6Uc4UExkDp',
      // Two signatures, and 54 586 units at 11 072 millionths.
      networkLamports: 10_605n,
    });
  });

  it('names both sides, and what the wallet pays the network', () => {
    const native = named('native out');
    expect(readRoute(native.message, native.resolvedAddresses)).toEqual({
      form: 'route_v2',
      inputMint: USDC,
      outputMint: SOL,
      inputTokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      outputTokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      inputAmount: 250_000_000n,
      quotedOutputAmount: 41_777_333n,
      slippageBps: 50,
      platformFeeBps: 0,
      positiveSlippageBps: 0,
      networkLamports: 60_000n,
      cosigner: undefined,
    });
    const fill = named('fill');
    expect(readRoute(fill.message, [])).toMatchObject({
      form: 'fill',
      slippageBps: 0,
      networkLamports: 0n,
      cosigner: MAKER,
    });
  });

  it('refuses a message without a trade, and one whose tables are not resolved', () => {
    const { message } = named('three legs, tables');
    expect(() => readRoute(message, [])).toThrow(MessageRefused);
    expect(() => readRoute(Buffer.from('no message'), [])).toThrow(MessageRefused);
  });

  it.each([
    [10_000n, 50, 9_950n],
    [16_198_753n, 50, 16_117_759n],
    [1n, 1, 0n],
    [2n ** 64n - 1n, 0, 2n ** 64n - 1n],
  ])('leaves of %d, at %d hundredths of a percent, %d', (quoted, bps, minimum) => {
    expect(minimumOutput(quoted, bps)).toBe(minimum);
  });
});
