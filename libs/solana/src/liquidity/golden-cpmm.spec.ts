import type { intentV1 } from '@agent-wallet/contracts';
import { describe, expect, it } from '@jest/globals';
import { AccountLayout } from '@solana/spl-token';
import { PublicKey, TransactionMessage, VersionedMessage } from '@solana/web3.js';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { addressBytes, addressOf } from '../addresses/address.js';
import { programDerivedAddress } from '../addresses/associated-token-address.js';
import { messagePlan } from '../intents/message-plan.js';
import { buildMessage, planInstructions } from '../messages/build-message.js';
import type { ChainAccount } from '../chain/solana-chain.js';
import { CPMM_AUTHORITY, CPMM_PROGRAM, cpmmAddresses } from './cpmm-addresses.js';
import { amountsToAdd, amountsToRemove, type CpmmState, leastWithin, liquidityFor } from './cpmm-maths.js';
import { readCpmmPool } from './read-cpmm-pool.js';

// Raydium's official client made golden-cpmm.json: @raydium-io/raydium-sdk-v2 0.2.73-alpha, which is GPL-3.0 and never a
// dependency. `node tools/raydium-client/main.mjs --vectors FILE` makes it again.

type Pair<T = string> = readonly [T, T];

interface Instruction {
  readonly amounts: readonly [string, string, string];
  readonly programId: string;
  readonly data: string;
  /** Addresses, with `S` for a signer and `w` for a writable account. */
  readonly keys: readonly string[];
}

interface GoldenPool {
  readonly name: string;
  readonly config: string;
  readonly mints: Pair;
  readonly tokenPrograms: Pair;
  readonly decimals: Pair<number>;
  readonly pool: string;
  readonly vaults: Pair;
  readonly lpMint: string;
  readonly observation: string;
  readonly instructions: { readonly deposit: Instruction; readonly withdraw: Instruction };
  readonly accounts: { readonly pool: string; readonly config: string; readonly vaults: Pair };
  readonly reading: {
    readonly reserves: Pair;
    readonly lpSupply: string;
    readonly status: number;
    readonly openTime: string;
    readonly tradeFeeRate: string;
  };
  readonly shares: ReadonlyArray<{ readonly liquidity: string; readonly added: Pair; readonly removed: Pair }>;
  readonly additions: ReadonlyArray<{
    readonly side: 0 | 1;
    readonly input: string;
    readonly liquidity: string;
    readonly other: string;
  }>;
  readonly removals: ReadonlyArray<{ readonly liquidity: string; readonly slippageBps: number; readonly data: string }>;
}

interface Golden {
  readonly madeBy: string;
  readonly program: string;
  readonly authority: string;
  readonly configs: Pair;
  readonly wallet: string;
  readonly pools: readonly GoldenPool[];
}

const golden = JSON.parse(readFileSync(path.join(import.meta.dirname, 'golden-cpmm.json'), 'utf8')) as Golden;
const pools = golden.pools.map((pool) => [`${pool.name} of ${pool.config}`, pool] as const);

const derive = (...seeds: Uint8Array[]) => addressOf(programDerivedAddress(seeds, addressBytes(CPMM_PROGRAM)));
const bytes = (text: string) => new TextEncoder().encode(text);
const numbers = (texts: Pair): [bigint, bigint] => [BigInt(texts[0]), BigInt(texts[1])];
const stateOf = ({ reading }: GoldenPool): CpmmState => ({
  reserves: numbers(reading.reserves),
  lpSupply: BigInt(reading.lpSupply),
});

/** Returns an intent with the amounts of a golden instruction. */
function intentOf(kind: 'deposit' | 'withdraw', golden: GoldenPool, wallet: string): intentV1.Intent {
  const { config, mints, tokenPrograms, decimals } = golden;
  const [liquidity, bound0, bound1] = golden.instructions[kind].amounts.map(BigInt) as [bigint, bigint, bigint];
  const pool = {
    ...{ config, mint0: mints[0], mint1: mints[1], decimals0: decimals[0], decimals1: decimals[1] },
    ...{ tokenProgram0: tokenPrograms[0], tokenProgram1: tokenPrograms[1] },
  };
  const terms = { pool, liquidity, quoted0: bound0, quoted1: bound1, slippageBps: 0 };
  if (kind === 'deposit') {
    return { wallet, action: { $case: 'liquidityAdd', value: { ...terms, max0: bound0, max1: bound1 } } };
  }
  return { wallet, action: { $case: 'liquidityRemove', value: { ...terms, min0: bound0, min1: bound1 } } };
}

/** Returns the accounts of a pool as a chain that holds nothing else. */
function chainOf({ pool, config, vaults, mints, tokenPrograms, accounts }: GoldenPool) {
  const account = (owner: string, data: Uint8Array): ChainAccount => ({ owner, data, lamports: 1n, executable: false });
  const vault = (i: 0 | 1) => {
    const data = Buffer.alloc(AccountLayout.span);
    const none = new PublicKey(golden.authority);
    AccountLayout.encode(
      {
        ...{ mint: new PublicKey(mints[i]), owner: none, amount: BigInt(accounts.vaults[i]), state: 1 },
        ...{
          delegateOption: 0 as const,
          delegate: none,
          delegatedAmount: 0n,
          isNativeOption: 0 as const,
          isNative: 0n,
        },
        ...{ closeAuthorityOption: 0 as const, closeAuthority: none },
      },
      data,
    );
    return account(tokenPrograms[i], data);
  };
  const known = new Map([
    [pool, account(golden.program, Buffer.from(accounts.pool, 'hex'))],
    [config, account(golden.program, Buffer.from(accounts.config, 'hex'))],
    [vaults[0], vault(0)],
    [vaults[1], vault(1)],
  ]);
  return {
    accounts: async (addresses: readonly string[]) => ({
      slot: 7,
      accounts: addresses.map((each) => known.get(each) ?? null),
    }),
  };
}

/** Returns the keys of an instruction in the form of the golden ones. */
function keyTexts(keys: ReadonlyArray<{ pubkey: PublicKey; isSigner: boolean; isWritable: boolean }>): string[] {
  return keys.map(({ pubkey, isSigner, isWritable }) =>
    `${pubkey.toBase58()} ${isSigner ? 'S' : ''}${isWritable ? 'w' : ''}`.trim(),
  );
}

describe('the official client agrees with', () => {
  it('the addresses of program, authority and configs', () => {
    expect(golden.madeBy).toBe('@raydium-io/raydium-sdk-v2@0.2.73-alpha');
    expect([golden.program, golden.authority]).toEqual([CPMM_PROGRAM, CPMM_AUTHORITY]);
    expect(golden.configs).toEqual([0, 1].map((index) => derive(bytes('amm_config'), Uint8Array.of(0, index))));
  });

  it.each(pools)('the addresses of %s', (_, { config, mints, pool, vaults, lpMint, observation }) => {
    expect(cpmmAddresses({ config, mints })).toEqual({ pool, vaults, lpMint });
    expect(derive(bytes('observation'), addressBytes(pool))).toBe(observation);
  });

  it.each(pools.flatMap(([name, pool]) => [[name, 'deposit', pool] as const, [name, 'withdraw', pool] as const]))(
    'every byte and account of an instruction to %s: %s',
    (_, kind, pool) => {
      const { programId, data, keys } = pool.instructions[kind];
      const intent = intentOf(kind, pool, golden.wallet);
      const budget = { computeUnitLimit: 400_000, computeUnitPriceMicroLamports: 0n };
      const planned = planInstructions(messagePlan(intent), budget);
      const [own, ...others] = planned.filter((each) => each.programId.toBase58() === programId);
      expect(others).toEqual([]);
      expect([own!.data.toString('hex'), keyTexts(own!.keys)]).toEqual([data, keys]);
    },
  );

  it.each(pools)('the instruction as it stands in a message, but for the payer, who is writable: %s', (_, pool) => {
    const intent = intentOf('deposit', pool, golden.wallet);
    const message = VersionedMessage.deserialize(buildMessage({ intent, blockhash: golden.wallet }));
    const { instructions } = TransactionMessage.decompile(message);
    const own = instructions.find((each) => each.programId.toBase58() === golden.program)!;
    const { data, keys } = pool.instructions.deposit;
    expect(Buffer.from(own.data).toString('hex')).toBe(data);
    expect(keyTexts(own.keys)).toEqual(keys.map((key) => key.replace(/ S$/, ' Sw')));
  });

  it.each(pools)('what is read of %s', async (_, pool) => {
    const { reading, mints, decimals, tokenPrograms } = pool;
    expect(await readCpmmPool(chainOf(pool), pool.pool)).toEqual({
      ...{ address: pool.pool, config: pool.config, lpMint: pool.lpMint, ...stateOf(pool) },
      sides: mints.map((mint, i) => ({ mint, decimals: decimals[i], tokenProgram: tokenPrograms[i] })),
      isDepositOpen: (reading.status & 1) === 0,
      isWithdrawalOpen: (reading.status & 2) === 0,
      isSwapOpen: (reading.status & 4) === 0,
      openTimeSeconds: BigInt(reading.openTime),
      tradeFeeRate: BigInt(reading.tradeFeeRate),
      slot: 7,
    });
  });

  it.each(pools)('what a share of %s takes and brings', (_, pool) => {
    const shares = pool.shares.map(({ liquidity }) => {
      const [added, removed] = [amountsToAdd, amountsToRemove].map((of) => of(BigInt(liquidity), stateOf(pool)));
      return { liquidity, added: added!.map(String), removed: removed!.map(String) };
    });
    expect(shares).toEqual(pool.shares);
  });

  it.each(pools)('how much liquidity an amount of one side of %s makes, and what it takes of the other', (_, pool) => {
    const additions = pool.additions.map(({ side, input }) => {
      const maxima = [side === 0 ? BigInt(input) : undefined, side === 1 ? BigInt(input) : undefined] as const;
      const liquidity = liquidityFor(maxima, stateOf(pool), 0);
      const other = amountsToAdd(liquidity, stateOf(pool))[1 - side]!;
      return { side, input, liquidity: String(liquidity), other: String(other) };
    });
    expect(additions).toEqual(pool.additions);
  });

  it.each(pools)('the least amounts of a withdrawal from %s', (_, pool) => {
    const minima = pool.removals.map(({ liquidity, slippageBps }) =>
      amountsToRemove(BigInt(liquidity), stateOf(pool)).map((quoted) => leastWithin(quoted, slippageBps)),
    );
    const made = pool.removals.map(({ data }) => Buffer.from(data, 'hex'));
    expect(minima).toEqual(made.map((data) => [data.readBigUInt64LE(16), data.readBigUInt64LE(24)]));
  });
});
