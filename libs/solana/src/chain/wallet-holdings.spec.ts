import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { keyOf, MINT } from '../testing/actors.js';
import { account, CLOCK, clockBytes, goodReply, parsedTokenAccount, SYSVARS, WALLET } from '../testing/responses.js';
import { type NodeCall, type Reply, type ScriptedNode, startScriptedNode } from '../testing/scripted-node.js';
import { openSolanaChain } from './open-solana-chain.js';
import type { SolanaChain } from './solana-chain.js';

const MINT_ADDRESS = MINT.toBase58();

let node: ScriptedNode;
let chain: SolanaChain;
let reply: (call: NodeCall) => Reply;

beforeEach(async () => {
  reply = goodReply;
  node = await startScriptedNode((call) => reply(call));
  chain = openSolanaChain({ rpcUrl: node.url, timeoutMs: 5_000 });
});
afterEach(async () => {
  chain.close();
  await node.close();
});

describe('what a wallet holds', () => {
  it('reads all that a wallet holds in three calls, every digit of it', async () => {
    await expect(chain.walletHoldings(WALLET)).resolves.toEqual({
      slot: 5_000,
      lamports: 1_461_600n,
      tokens: [
        {
          account: keyOf(`account of ${MINT_ADDRESS}`).toBase58(),
          mint: MINT_ADDRESS,
          amount: 2n ** 64n - 1n,
          decimals: 6,
          frozen: false,
          tokenProgram: TOKEN_PROGRAM,
          isScaled: false,
        },
      ],
      unparsed: [],
    });
    const programs = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((programId) => ({ programId }));
    const options = { commitment: 'confirmed', encoding: 'jsonParsed' };
    expect(node.calls).toHaveLength(3);
    expect(node.calls).toEqual(
      expect.arrayContaining([
        {
          method: 'getMultipleAccounts',
          params: [[WALLET, CLOCK], expect.objectContaining({ commitment: 'confirmed', encoding: 'base64' })],
        },
        ...programs.map((program) => ({ method: 'getTokenAccountsByOwner', params: [WALLET, program, options] })),
      ]),
    );
  });

  it('reads wallets that are asked for at once in calls that they share, and takes one that is not there for empty', async () => {
    const nobody = keyOf('nobody').toBase58();
    reply = (call) => {
      if (call.method === 'getTokenAccountsByOwner') return { result: { context: { slot: 1 }, value: [] } };
      return { result: { context: { slot: 1 }, value: (call.params[0] as string[]).map(() => null) } };
    };
    const all = await Promise.all([chain.walletHoldings(WALLET), chain.walletHoldings(nobody)]);
    expect(all.map(({ lamports }) => lamports)).toEqual([0n, 0n]);
    expect(node.calls).toHaveLength(5);
    await expect(chain.walletHoldings('nonsense')).rejects.toMatchObject({ code: 'INVALID_ADDRESS' });
  });

  it('gives the cluster’s time, which comes with a wallet for those who take one of its age', async () => {
    const beforeMs = Date.now();
    await chain.walletHoldings(WALLET);
    node.calls.length = 0;
    const time = await chain.time({ maxAgeMs: 60_000 });
    expect(time).toMatchObject({ slot: 5_000, epoch: 11, blockTimeMs: 1_700_000_000_000 });
    expect(time.readAtMs).toBeGreaterThanOrEqual(beforeMs);
    expect(node.calls).toEqual([]);
    await chain.time();
    expect(node.calls).toMatchObject([{ method: 'getMultipleAccounts', params: [[CLOCK], {}] }]);
  });

  it.each<[string, (bytes: Buffer) => unknown]>([
    ['nothing', () => null],
    ['an account of another program', (bytes) => account(TOKEN_PROGRAM, bytes)],
    ['a short account', (bytes) => account(SYSVARS, bytes.subarray(1))],
    ['a time before 1970', (bytes) => account(SYSVARS, bytes.fill(255, 32))],
    ['a slot beyond all numbers', (bytes) => account(SYSVARS, bytes.fill(255, 0, 8))],
  ])('does not take %s for a clock, and still reads wallets', async (_, clock) => {
    reply = (call) => {
      if (call.method !== 'getMultipleAccounts') return goodReply(call);
      const value = (call.params[0] as string[]).map((key) => (key === CLOCK ? clock(clockBytes()) : null));
      return { result: { context: { slot: 1 }, value } };
    };
    await expect(chain.time()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    await expect(chain.walletHoldings(WALLET)).resolves.toMatchObject({ lamports: 0n });
    await expect(chain.time({ maxAgeMs: 60_000 })).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });

  it('believes no list that names an account twice, or gives a mint two numbers of decimals', async () => {
    const entry = parsedTokenAccount(MINT_ADDRESS, '1', TOKEN_PROGRAM);
    const another = structuredClone({ ...entry, pubkey: keyOf('another').toBase58() });
    const listing = async (...value: unknown[]) => {
      reply = (call) =>
        call.method === 'getTokenAccountsByOwner' &&
        (call.params[1] as { programId: string }).programId === TOKEN_PROGRAM
          ? { result: { context: { slot: 1 }, value } }
          : goodReply(call);
      return chain.walletHoldings(WALLET);
    };
    expect((await listing(entry, another)).tokens).toHaveLength(2);
    await expect(listing(entry, entry)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    another.account.data.parsed.info.tokenAmount.decimals = 9;
    await expect(listing(entry, another)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    another.account.data.parsed.info.tokenAmount.decimals = 256;
    await expect(listing(another)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });

  it('names a token account that the node returns as bytes, and reads the others', async () => {
    const parsed = parsedTokenAccount(MINT_ADDRESS, '5', TOKEN_PROGRAM);
    const bytes = { pubkey: keyOf('unparsed').toBase58(), account: account(TOKEN_PROGRAM, Buffer.alloc(165)) };
    reply = (call) => {
      if (call.method !== 'getTokenAccountsByOwner') return goodReply(call);
      const isFirst = JSON.stringify(call.params).includes(TOKEN_PROGRAM);
      return { result: { context: { slot: 1 }, value: isFirst ? [bytes, parsed] : [] } };
    };
    const { tokens, unparsed } = await chain.walletHoldings(WALLET);
    expect(tokens).toMatchObject([{ account: parsed.pubkey, amount: 5n }]);
    expect(unparsed).toEqual([bytes.pubkey]);
  });

  it.each([
    ['the amount by its decimals', '1.5', false],
    ['a multiple of it', '15', true],
    ['it with interest', '1.500001', true],
  ])('marks a token of Token-2022 as scaled where the node shows %s: %s', async (_, uiAmountString, isScaled) => {
    const scaled = parsedTokenAccount(MINT_ADDRESS, '1500000', TOKEN_2022_PROGRAM);
    scaled.account.data.parsed.info.tokenAmount.uiAmountString = uiAmountString;
    reply = (call) => {
      if (call.method !== 'getTokenAccountsByOwner') return goodReply(call);
      const isIts = JSON.stringify(call.params).includes(TOKEN_2022_PROGRAM);
      return { result: { context: { slot: 1 }, value: isIts ? [scaled] : [] } };
    };
    const { tokens } = await chain.walletHoldings(WALLET);
    expect(tokens).toMatchObject([{ amount: 1_500_000n, isScaled }]);
  });

  it('does not believe a token account of another owner', async () => {
    await expect(chain.walletHoldings(keyOf('stranger').toBase58())).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});
