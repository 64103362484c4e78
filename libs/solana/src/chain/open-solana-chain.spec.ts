import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { addressBytes } from '../addresses/address.js';
import { decodeBase58, encodeBase58 } from '../addresses/base58.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { BLOCKHASH, keyOf, MINT } from '../testing/actors.js';
import {
  account,
  goodReply,
  MESSAGE,
  mintBytes,
  RESULTS,
  SIGNATURE,
  TRANSACTION,
  WALLET,
} from '../testing/responses.js';
import { damaged } from '../testing/damaged.js';
import { type NodeCall, type Reply, type ScriptedNode, startScriptedNode } from '../testing/scripted-node.js';
import { openSolanaChain } from './open-solana-chain.js';
import { MAX_DATA_BYTES, type SolanaChain } from './solana-chain.js';
import { isUnreadable, isUnsupportedVersion } from './unreadable-transaction.js';

const MINT_ADDRESS = MINT.toBase58();

/** A transaction of version 1 with two addresses and no instruction, signed with `SIGNATURE`. */
function v1Transaction(): Uint8Array {
  const head = [0x81, 1, 0, 1, 0, 0, 0, 0, ...Buffer.alloc(32, 9), 0, 2];
  return Buffer.concat([
    Uint8Array.from(head),
    ...[WALLET, MINT_ADDRESS].map((address) => addressBytes(address)),
    decodeBase58(SIGNATURE, 64)!,
  ]);
}

function v1Result() {
  return {
    slot: 4_990,
    blockTime: null,
    version: 1,
    transaction: [Buffer.from(v1Transaction()).toString('base64'), 'base64'],
    meta: { err: null, fee: 5_000, preBalances: [5, 6], postBalances: [7, 8] },
  };
}

let node: ScriptedNode;
let chain: SolanaChain;
let reply: (call: NodeCall) => Reply;
let nowMs: number;

beforeEach(async () => {
  reply = goodReply;
  node = await startScriptedNode((call) => reply(call));
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  chain = openSolanaChain({ rpcUrl: node.url, timeoutMs: 5_000, clock: { nowMs: () => nowMs } });
});
afterEach(async () => {
  chain.close();
  await node.close();
});

describe('the door to a node', () => {
  it('gives a confirmed blockhash and its bound', async () => {
    const expected = { blockhash: BLOCKHASH, lastValidBlockHeight: 4_150, slot: 5_000 };
    await expect(chain.latestBlockhash()).resolves.toEqual(expected);
    await expect(chain.latestBlockhash({ maxAgeMs: 2_000 })).resolves.toEqual(expected);
    expect(node.calls).toEqual([{ method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] }]);
  });

  it('gives the finalized head, and the confirmed one, with its time for a call more', async () => {
    await expect(chain.finalizedHead()).resolves.toEqual({ slot: 5_000, blockHeight: 4_000, epoch: 11 });
    await expect(chain.confirmedHead()).resolves.toEqual({ slot: 5_000, blockHeight: 4_000, epoch: 11 });
    await expect(chain.head()).resolves.toEqual({
      slot: 5_000,
      blockHeight: 4_000,
      epoch: 11,
      blockTimeMs: 1_700_000_000_000,
    });
    expect(node.calls.map(({ params }) => params)).toEqual([
      [{ commitment: 'finalized' }],
      [{ commitment: 'confirmed' }],
      [{ commitment: 'confirmed' }],
      [5_000],
    ]);
  });

  it.each([-32001, -32004, -32007, -32009, -32014])(
    'knows no time of a slot that the node has no block of (%i)',
    async (code) => {
      reply = () => ({ error: { code, message: 'no block' } });
      await expect(chain.blockTimeMs(7)).resolves.toBeNull();
      reply = () => ({ result: null });
      await expect(chain.blockTimeMs(7)).resolves.toBeNull();
    },
  );

  it('does not take an ailing node for a missing block', async () => {
    reply = () => ({ error: { code: -32005, message: 'behind' } });
    await expect(chain.blockTimeMs(7)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });

  it('reads accounts in the order asked for, null where nothing lives, many in few calls', async () => {
    const data = Buffer.from('data');
    reply = ({ params }) => ({
      result: {
        context: { slot: 5_000 },
        value: (params[0] as string[]).map((address) => (address === WALLET ? null : account(TOKEN_PROGRAM, data))),
      },
    });
    const { slot, accounts } = await chain.accounts([MINT_ADDRESS, WALLET]);
    expect(slot).toBe(5_000);
    expect(accounts).toEqual([{ owner: TOKEN_PROGRAM, lamports: 1_461_600n, data, executable: false }, null]);
    node.calls.length = 0;
    await chain.accounts(Array.from({ length: 250 }, (_, i) => encodeBase58(new Uint8Array(32).fill(i))));
    const sizes = node.calls.map(({ params }) => (params[0] as string[]).length);
    expect(sizes.sort()).toEqual([100, 100, 50]);
    expect(node.maxUnderWay()).toBeLessThanOrEqual(2);
  });

  it('reads no more of an account than can matter, and takes none for a mint that it does not know whole', async () => {
    const slice = ({ params }: NodeCall) => (params[1] as { dataSlice: { length: number } }).dataSlice.length;
    const isMint = Buffer.concat([Buffer.alloc(83), Buffer.of(1)]);
    const huge = (bytes: number) => Buffer.concat([mintBytes(), isMint, Buffer.alloc(bytes - 166)]);
    reply = (call) => {
      const value = [account(TOKEN_2022_PROGRAM, huge(slice(call))), account(TOKEN_PROGRAM, mintBytes())];
      return { result: { context: { slot: 1 }, value } };
    };
    const [none, mint] = await Promise.all([chain.mint(WALLET), chain.mint(MINT_ADDRESS)]);
    expect([none, mint?.decimals]).toEqual([null, 6]);
    expect(node.calls.map(slice)).toEqual([MAX_DATA_BYTES]);
  });

  it('asks once for what never changes about a mint', async () => {
    const expected = { address: MINT_ADDRESS, tokenProgram: TOKEN_PROGRAM, decimals: 6, extensions: [] };
    await expect(chain.mint(MINT_ADDRESS)).resolves.toEqual(expected);
    await expect(chain.mint(MINT_ADDRESS)).resolves.toEqual(expected);
    expect(node.calls).toHaveLength(1);
  });

  it('asks again for a mint that can be closed, and for an address without one', async () => {
    const closable = Buffer.concat([mintBytes(), Buffer.alloc(83), Buffer.of(1, 3, 0, 32, 0), Buffer.alloc(32)]);
    for (const found of [account(TOKEN_2022_PROGRAM, closable), null]) {
      reply = () => ({ result: { context: { slot: 1 }, value: [found] } });
      node.calls.length = 0;
      const first = await chain.mint(MINT_ADDRESS);
      expect(first?.extensions ?? null).toEqual(found && ['mintCloseAuthority']);
      await chain.mint(MINT_ADDRESS);
      expect(node.calls).toHaveLength(2);
    }
  });

  it('looks many signatures up in few calls, with and without history apart', async () => {
    const signatures = Array.from({ length: 300 }, (_, i) =>
      encodeBase58(new Uint8Array(64).fill(i >> 8, 0, 1).fill(i & 0xff, 1)),
    );
    const found = await Promise.all([
      ...signatures.map((signature) => chain.signatureStatus(signature, { searchHistory: false })),
      chain.signatureStatus(SIGNATURE, { searchHistory: true }),
    ]);
    expect(found.at(-1)).toEqual({ contextSlot: 5_000, status: { slot: 4_990, commitment: 'confirmed', error: null } });
    const sizes = node.calls.map(({ params }) => [(params[0] as unknown[]).length, params[1]]);
    expect(sizes).toHaveLength(3);
    expect(sizes).toEqual(
      expect.arrayContaining([
        [256, { searchTransactionHistory: false }],
        [44, { searchTransactionHistory: false }],
        [1, { searchTransactionHistory: true }],
      ]),
    );
  });

  it('sends no node an invalid address or signature, which would fail the calls of others', async () => {
    await expect(chain.accounts([WALLET, 'nonsense'])).rejects.toMatchObject({ code: 'INVALID_ADDRESS' });
    await expect(chain.mint('nonsense')).resolves.toBeNull();
    await expect(chain.signatureStatus('nonsense', { searchHistory: true })).rejects.toThrow(TypeError);
    expect(node.calls).toEqual([]);
  });

  it('gives a landed transaction with its bytes, fee and balances', async () => {
    const transaction = await chain.transaction(SIGNATURE, 'confirmed');
    expect(transaction).toMatchObject({
      slot: 4_990,
      blockTimeMs: 1_700_000_000_000,
      error: null,
      feeLamports: 5_000n,
      signatures: [SIGNATURE],
      message: TRANSACTION.subarray(65),
    });
    expect(transaction?.addresses[0]).toBe(WALLET);
    expect(transaction?.preBalances[0]).toBe(10_000_000n);
    expect(transaction?.preTokenBalances).toEqual([
      { account: transaction?.addresses[1], mint: MINT_ADDRESS, owner: WALLET, amount: 64_100_000n, decimals: 6 },
    ]);
  });

  it('does not believe another transaction than the one asked for, and knows when there is none', async () => {
    const other = keyOf('other').toBase58();
    await expect(chain.transaction(other, 'finalized')).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    reply = () => ({ result: null });
    await expect(chain.transaction(SIGNATURE, 'finalized')).resolves.toBeNull();
  });

  it('reads a transaction of version 1, whose signatures follow its message', async () => {
    reply = () => ({ result: v1Result() });
    const read = await chain.transaction(SIGNATURE, 'confirmed');
    expect(read).toMatchObject({
      signatures: [SIGNATURE],
      addresses: [WALLET, MINT_ADDRESS],
      postBalances: [7n, 8n],
      message: v1Transaction().subarray(0, -64),
    });
    expect(node.calls[0]?.params[1]).toMatchObject({ maxSupportedTransactionVersion: 1 });
  });

  it.each([
    ['a version 1 transaction that ends too early', () => ({ ...v1Result(), transaction: ['gQEA', 'base64'] }), true],
    ['a version 2 transaction', () => ({ ...v1Result(), transaction: ['ggEA', 'base64'], version: 2 }), true],
    ['no metadata', () => ({ ...v1Result(), version: 0, meta: null }), false],
  ])('marks %s as unreadable', async (_, result, isNewVersion) => {
    reply = () => ({ result: result() });
    const error: unknown = await chain.transaction(SIGNATURE, 'confirmed').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR' });
    expect([isUnreadable(error), isUnsupportedVersion(error)]).toEqual([true, isNewVersion]);
  });

  it.each([
    [-32015, true],
    [-32009, true],
    [-32007, true],
    [-32005, false],
    [-32011, false],
    [-32603, false],
  ])('node error %i means unreadable: %s', async (code, expected) => {
    reply = () => ({ error: { code, message: 'refused' } });
    const error: unknown = await chain.transaction(SIGNATURE, 'confirmed').catch((reason: unknown) => reason);
    expect(isUnreadable(error)).toBe(expected);
  });

  it('lists the signatures of an address', async () => {
    const page = { commitment: 'finalized', limit: 10, before: SIGNATURE, minContextSlot: 4_000 } as const;
    await expect(chain.signaturesForAddress(WALLET, page)).resolves.toEqual([
      { signature: SIGNATURE, slot: 4_990, error: null, blockTimeMs: 1_700_000_000_000, commitment: 'finalized' },
    ]);
    expect(node.calls).toEqual([{ method: 'getSignaturesForAddress', params: [WALLET, page] }]);
  });

  it('takes no word for a commitment that it does not know', async () => {
    const [entry] = RESULTS.getSignaturesForAddress as object[];
    reply = () => ({
      result: [null, 'rooted', 'confirmed'].map((status) => ({ ...entry, confirmationStatus: status })),
    });
    const listed = await chain.signaturesForAddress(WALLET, { commitment: 'confirmed' });
    expect(listed.map(({ commitment }) => commitment)).toEqual([undefined, undefined, 'confirmed']);
  });

  it('reads the rent of a size once a minute', async () => {
    await expect(chain.rentExemptMinimumLamports(165)).resolves.toBe(2_039_280n);
    await expect(chain.rentExemptMinimumLamports(165)).resolves.toBe(2_039_280n);
    await chain.rentExemptMinimumLamports(0);
    expect(node.calls.map(({ params }) => params)).toEqual([[165], [0]]);
    nowMs += 60_001;
    reply = () => ({ result: 1_000_000 });
    await expect(chain.rentExemptMinimumLamports(165)).resolves.toBe(1_000_000n);
  });
});

describe('sending', () => {
  it('gives the bytes to the node once, unchecked', async () => {
    await expect(chain.send(TRANSACTION)).resolves.toEqual({ kind: 'accepted' });
    const text = Buffer.from(TRANSACTION).toString('base64');
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    expect(node.calls).toEqual([{ method: 'sendTransaction', params: [text, options] }]);
  });

  const error = (code: number, message: string, data?: unknown): Reply => ({ error: { code, message, data } });
  it.each<[string, Reply]>([
    ['already_processed', error(-32002, 'Transaction simulation failed', { err: 'AlreadyProcessed' })],
    ['already_processed', error(-32002, 'This transaction has already been processed')],
    ['blockhash_not_found', error(-32002, 'Transaction simulation failed', { err: 'BlockhashNotFound' })],
    ['blockhash_not_found', error(-32002, 'Transaction simulation failed: Blockhash not found')],
    ['unknown', error(-32002, 'Transaction simulation failed', { err: { InstructionError: [0, { Custom: 1 }] } })],
    ['rejected', error(-32602, 'base64 encoded too large')],
    ['rejected', error(-32003, 'Transaction signature verification failure')],
    ['unknown', error(-32005, 'Node is behind by 42 slots')],
    ['unknown', error(-32603, 'Internal error')],
    ['unknown', { status: 429 }],
    ['unknown', { status: 500 }],
    ['unknown', { result: keyOf('another signature').toBase58() }],
    ['unknown', { result: null }],
    ['unknown', 'break off'],
    ['unknown', 'hang up'],
  ])('is %s after %j', async (kind, answer) => {
    reply = () => answer;
    await expect(chain.send(TRANSACTION)).resolves.toMatchObject({ kind });
  });

  it('is unknown when the node does not answer in time', async () => {
    reply = () => 'silence';
    const hasty = openSolanaChain({ rpcUrl: node.url, timeoutMs: 100 });
    await expect(hasty.send(TRANSACTION)).resolves.toMatchObject({ kind: 'unknown' });
    hasty.close();
  });
});

describe('a node that answers nonsense', () => {
  const questions: Record<string, (door: SolanaChain) => Promise<unknown>> = {
    getLatestBlockhash: (door) => door.latestBlockhash(),
    getEpochInfo: (door) => door.finalizedHead(),
    getBlockTime: (door) => door.blockTimeMs(1),
    getMultipleAccounts: (door) => door.mintState(MINT_ADDRESS),
    getTokenAccountsByOwner: (door) => door.walletHoldings(WALLET),
    getSignatureStatuses: (door) => door.signatureStatus(SIGNATURE, { searchHistory: true }),
    getTransaction: (door) => door.transaction(SIGNATURE, 'confirmed'),
    getSignaturesForAddress: (door) => door.signaturesForAddress(WALLET, { commitment: 'confirmed' }),
    simulateTransaction: (door) => door.simulate(MESSAGE, { accounts: [MINT_ADDRESS, WALLET] }),
    getMinimumBalanceForRentExemption: (door) => door.rentExemptMinimumLamports(1),
  };

  it.each(Object.entries(questions))(
    'to %s gets an upstream error or is understood, nothing else',
    async (method, ask) => {
      const replacements = [undefined, null, -1, 1.5, 2 ** 60, 'x', {}];
      const errors = new Set<unknown>();
      for (const result of damaged(RESULTS[method], replacements)) {
        reply = (call) => (call.method === method ? { result } : goodReply(call));
        const error: unknown = await ask(chain).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        errors.add(error instanceof AppError ? error.code : error);
      }
      errors.delete(undefined);
      expect([...errors]).toEqual(['UPSTREAM_ERROR']);
    },
  );
});
