import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Keypair, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { key, keyText } from '../src/encoding/keys.js';
import type { Route } from '../src/market/market.js';
import { pairOf } from '../src/market/pair.js';
import type { Pool } from '../src/market/pool.js';
import { MarketWorld, mintOf } from './market-world.js';
import { temporaryDir } from './world.js';

const [SOL, USDC, JUP, BONK] = ['SOL', 'USDC', 'JUP', 'BONK'].map(mintOf) as [string, string, string, string];

/** Where things lie in route_v2 (10 accounts, then the authority) and in shared_accounts_route_v2 (12). */
const DIRECT = {
  wallet: 0,
  source: 1,
  destination: 2,
  other: 7,
  event: 8,
  program: 9,
  authority: 10,
  step: 11,
  head: 0,
};
const SHARED = {
  ...{ wallet: 1, source: 2, programSource: 3, programDestination: 4, destination: 5 },
  ...{ event: 10, program: 11, authority: 12, step: 13, head: 1 },
};
const [TOKEN_PROGRAM, POOL, VAULT_IN, VAULT_OUT] = [0, 1, 2, 3];
const [QUOTED, SLIPPAGE, STEPS, FIRST_BPS] = [16, 24, 30, 35];

describe('the program on the chain refuses', () => {
  const data = temporaryDir();
  let world: MarketWorld;
  let alice: Keypair;
  let mallory: Keypair;
  let direct: Route;
  let far: Route;

  beforeAll(async () => {
    world = new MarketWorld(data.dir);
    [alice, mallory] = [Keypair.generate(), Keypair.generate()];
    for (const wallet of [alice, mallory]) {
      for (const symbol of ['SOL', 'USDC', 'JUP', 'BONK']) await world.fund(wallet.publicKey, symbol, 10n ** 14n);
      world.run([world.createAta(wallet.publicKey, SOL)], [wallet]);
    }
  });

  beforeEach(() => {
    world.market.follow(USDC, JUP);
    world.market.follow(JUP, BONK);
    direct = world.market.quote(USDC, JUP, 1_000_000_000n, { maxLegs: 1 })!;
    far = world.market.quote(JUP, BONK, 1_000_000_000n, { maxLegs: 2 })!;
  });

  afterAll(async () => {
    await world.close();
    data.remove();
  });

  type Change = (instruction: TransactionInstruction) => void;

  const put = (index: number, account: PublicKey): Change => {
    return ({ keys }) => (keys[index] = { ...keys[index]!, pubkey: account });
  };
  const theirs = (mint: string): PublicKey => world.ataOf(mallory.publicKey, mint);
  const poolOf = (one: string, other: string, venue = 0): Pool =>
    pairOf(world.tokens.get(key(one))!, world.tokens.get(key(other))!)!.pools[venue]!;
  const at = (address: Pool['address']): PublicKey => new PublicKey(keyText(address));

  /** Runs a changed instruction; nothing but the network's fee may have gone. */
  function refusal(route: Route, ...changes: Change[]): unknown {
    const instruction = world.swap(alice.publicKey, route);
    for (const change of changes) change(instruction);
    const before = state();
    const { error, fee } = world.run([world.budget(), instruction], [alice]);
    if (error === null) return undefined;
    expect(state()).toEqual({ ...before, lamports: before.lamports - fee });
    return (JSON.parse(error) as { InstructionError: [number, { Custom: number } | string] }).InstructionError[1];
  }

  function state() {
    const mints = [USDC, JUP, BONK, SOL];
    const held = [alice, mallory].map(({ publicKey }) => mints.map((mint) => world.held(publicKey, mint)));
    const pools = [poolOf(USDC, JUP), poolOf(USDC, BONK), poolOf(SOL, JUP), poolOf(SOL, BONK)];
    const bytes = pools.map(({ address }) => world.chain.account(address)!.data.toString('hex'));
    return { held, bytes, lamports: world.lamports(alice.publicKey) };
  }

  it('nothing that is as it should be', () => {
    expect(refusal(direct)).toBeUndefined();
    expect(refusal(far)).toBeUndefined();
  });

  it('an output that is one unit below what was quoted, with 6001', () => {
    const quoting = (route: Route, at: number, amount: bigint): Change => {
      return (instruction) => void instruction.data.writeBigUInt64LE(amount, at);
    };
    expect(refusal(direct, quoting(direct, QUOTED, direct.outAmount + 1n))).toEqual({ Custom: 6001 });
    expect(refusal(far, quoting(far, QUOTED + SHARED.head, far.outAmount + 1n))).toEqual({ Custom: 6001 });
  });

  it('an output below the tolerance, whose limit is rounded down', () => {
    const terms = (out: bigint, bps: number): Change => {
      return ({ data: bytes }) => {
        bytes.writeBigUInt64LE(out, QUOTED);
        bytes.writeUInt16LE(bps, SLIPPAGE);
      };
    };
    // The least quote whose floor(quote * 9950 / 10000) is more than what comes out.
    const least = (out: bigint): bigint => ((out + 1n) * 10_000n + 9_949n) / 9_950n;
    expect(refusal(direct, terms(least(direct.outAmount), 50))).toEqual({ Custom: 6001 });
    expect(refusal(direct, terms(least(direct.outAmount) - 1n, 50))).toBeUndefined();
    expect(refusal(direct, terms(1n, 10_001))).toEqual({ Custom: 6004 });
  });

  it('a trade after which the price is no longer what it was', () => {
    world.setPrice('JUP', '0.5');
    const late = world.market.quote(USDC, JUP, 1_000_000_000n)!;
    world.setPrice('JUP', '0.51');
    expect(refusal(late)).toEqual({ Custom: 6001 });
    world.setPrice('JUP', '0.5');
    expect(refusal(late)).toBeUndefined();
  });

  it.each([
    ['directly', () => direct, DIRECT, JUP],
    ['over a third token', () => far, SHARED, BONK],
  ] as const)("a stranger's output account, %s", (_name, route, layout, output) => {
    expect(refusal(route(), put(layout.destination, theirs(output)))).toEqual({ Custom: 6021 });
    expect(refusal(route(), put(layout.destination, world.ataOf(alice.publicKey, USDC)))).toEqual({ Custom: 6019 });
  });

  it('a second output account beside the first', () => {
    expect(refusal(direct, put(DIRECT.other, theirs(JUP)))).toEqual({ Custom: 6021 });
    expect(refusal(direct, put(DIRECT.other, world.ataOf(alice.publicKey, JUP)))).toEqual({ Custom: 6021 });
  });

  it("the program's accounts replaced by a stranger's", () => {
    expect(refusal(far, put(SHARED.programSource, theirs(JUP)))).toEqual({ Custom: 6025 });
    expect(refusal(far, put(SHARED.programDestination, theirs(BONK)))).toEqual({ Custom: 6025 });
    expect(refusal(far, put(0, mallory.publicKey), put(SHARED.authority, mallory.publicKey))).toEqual({ Custom: 6025 });
    expect(refusal(far, ({ data: bytes }) => bytes.writeUInt8(1, 8))).toEqual({ Custom: 6020 });
  });

  it('tokens of a wallet that has not signed', () => {
    expect(refusal(direct, put(DIRECT.source, theirs(USDC)))).toEqual({ Custom: 4 });
    const unsigned: Change = ({ keys }) => {
      keys[DIRECT.wallet] = { pubkey: mallory.publicKey, isSigner: false, isWritable: false };
      keys[DIRECT.source] = { ...keys[DIRECT.source]!, pubkey: theirs(USDC) };
    };
    expect(refusal(direct, unsigned)).toEqual({ Custom: 6023 });
  });

  it('a pool that is none, or one for other tokens', () => {
    expect(refusal(direct, put(DIRECT.step + POOL, theirs(JUP)))).toEqual({ Custom: 6010 });
    expect(refusal(direct, put(DIRECT.step + POOL, at(poolOf(BONK, SOL).address)))).toEqual({ Custom: 6010 });
    expect(refusal(direct, put(DIRECT.step + POOL, at(poolOf(BONK, USDC).address)))).toEqual({ Custom: 6025 });
  });

  it('a vault that is not the pool’s own', () => {
    const { vaultA: jup, vaultB: usdc } = poolOf(JUP, USDC, 1);
    expect(refusal(direct, put(DIRECT.step + VAULT_IN, at(usdc)))).toEqual({ Custom: 6025 });
    expect(refusal(direct, put(DIRECT.step + VAULT_OUT, at(jup)))).toEqual({ Custom: 6025 });
    expect(refusal(direct, put(DIRECT.step + VAULT_IN, theirs(USDC)))).toEqual({ Custom: 6025 });
    expect(refusal(direct, put(DIRECT.step + VAULT_OUT, theirs(JUP)))).toEqual({ Custom: 6025 });
    // What the first pool pays goes to the second's vault, or nowhere.
    expect(refusal(far, put(SHARED.step + 4 + VAULT_IN, theirs(far.legs[0]!.outputMint)))).toEqual({ Custom: 6025 });
  });

  it('a token program that is none', () => {
    expect(refusal(direct, put(DIRECT.step + TOKEN_PROGRAM, mallory.publicKey))).toEqual({ Custom: 6014 });
    expect(refusal(direct, put(5, mallory.publicKey))).toEqual({ Custom: 6014 });
    expect(refusal(direct, put(6, mallory.publicKey))).toEqual({ Custom: 6014 });
  });

  it('a foreign event authority or program', () => {
    expect(refusal(direct, put(DIRECT.event, mallory.publicKey))).toEqual({ Custom: 6023 });
    expect(refusal(direct, put(DIRECT.program, mallory.publicKey))).toEqual({ Custom: 6023 });
  });

  it('a plan that leaves a part of the input, takes too much, or ends nowhere', () => {
    const share = (bps: number): Change => {
      return ({ data: bytes }) => void bytes.writeUInt16LE(bps, FIRST_BPS);
    };
    expect(refusal(direct, share(9_999))).toEqual({ Custom: 6005 });
    expect(refusal(direct, share(10_001))).toEqual({ Custom: 6005 });
    expect(refusal(direct, ({ data: bytes }) => bytes.writeUInt32LE(0, STEPS))).toEqual({ Custom: 6000 });
    expect(refusal(direct, ({ data: bytes }) => bytes.writeUInt32LE(2, STEPS))).toEqual({ Custom: 6008 });
    const oneStep: Change = (instruction) => {
      instruction.data.writeUInt32LE(1, STEPS + SHARED.head);
      instruction.keys = instruction.keys.slice(0, -4);
    };
    expect(refusal(far, oneStep)).toEqual({ Custom: 6010 });
    expect(refusal(direct, ({ data: bytes }) => bytes.writeUInt8(1, FIRST_BPS + 2))).toEqual({ Custom: 6010 });
    const secondFromInput: Change = ({ data: bytes }) => bytes.writeUInt8(0, 43);
    expect(refusal(far, secondFromInput)).toEqual({ Custom: 6010 });
  });

  it('instructions it does not know', () => {
    expect(refusal(direct, ({ data: bytes }) => bytes.writeUInt8(0, 0))).toBe('InvalidInstructionData');
    expect(refusal(direct, (instruction) => (instruction.data = instruction.data.subarray(0, 38)))).toBe(
      'InvalidInstructionData',
    );
    expect(refusal(direct, (instruction) => (instruction.data = Buffer.alloc(3)))).toBe('InvalidInstructionData');
    expect(refusal(direct, (instruction) => (instruction.keys = instruction.keys.slice(0, 9)))).toEqual({
      Custom: 6008,
    });
  });
});
