import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { intentV1 } from '@agent-wallet/contracts';
import { SOL_DECIMALS } from '@agent-wallet/kernel';
import { areInPoolOrder } from '../liquidity/cpmm-addresses.js';
import { FEE_WALLET, LOW_MINT, MINT, OTHER_MINT, POOL_CONFIG, RECIPIENT, SPONSOR, TREASURY } from './actors.js';

/** An honest message's intent, from which forgeries are made. */
export interface Scenario {
  readonly name: string;
  readonly intent: intentV1.Intent;
  readonly computeUnitPriceMicroLamports: bigint;
}

const NATIVE: intentV1.Transfer = {
  recipient: RECIPIENT.toBase58(),
  mint: '',
  tokenProgram: '',
  amount: 1_500_000_000n,
  decimals: SOL_DECIMALS,
  createsRecipientAccount: false,
  memo: '',
};

const TOKEN: intentV1.Transfer = {
  ...NATIVE,
  mint: MINT.toBase58(),
  tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
  amount: 64_100_000n,
  decimals: 6,
};

const TOKEN_2022: intentV1.Transfer = { ...TOKEN, tokenProgram: TOKEN_2022_PROGRAM_ID.toBase58() };

/** The operator's fee in scenarios with one. */
const FEE = { fee: 320_500n, feeRecipient: FEE_WALLET.toBase58() };

const UNWRAP: intentV1.Unwrap = { amount: 700_000_000n, remainder: 0n };
const PARTIAL_UNWRAP: intentV1.Unwrap = { ...UNWRAP, remainder: 300_000_000n };

/** A pool of two tokens of the classic program, and one with SOL on either side beside a token of Token-2022. */
const POOL: intentV1.LiquidityPool = {
  config: POOL_CONFIG.toBase58(),
  ...sides([MINT.toBase58(), TOKEN_PROGRAM_ID.toBase58(), 6], [OTHER_MINT.toBase58(), TOKEN_PROGRAM_ID.toBase58(), 5]),
};
const SOL_SIDE = [NATIVE_MINT.toBase58(), TOKEN_PROGRAM_ID.toBase58(), SOL_DECIMALS] as const;
const SOL_FIRST: intentV1.LiquidityPool = {
  ...POOL,
  ...sides(SOL_SIDE, [MINT.toBase58(), TOKEN_2022_PROGRAM_ID.toBase58(), 6]),
};
const SOL_SECOND: intentV1.LiquidityPool = {
  ...POOL,
  ...sides(SOL_SIDE, [LOW_MINT.toBase58(), TOKEN_2022_PROGRAM_ID.toBase58(), 0]),
};

type Side = readonly [mint: string, tokenProgram: string, decimals: number];

/** Returns both sides of a pool in their order. */
function sides(one: Side, other: Side): Omit<intentV1.LiquidityPool, 'config'> {
  const [first, second] = areInPoolOrder([one[0], other[0]]) ? [one, other] : [other, one];
  return {
    ...{ mint0: first[0], tokenProgram0: first[1], decimals0: first[2] },
    ...{ mint1: second[0], tokenProgram1: second[1], decimals1: second[2] },
  };
}

const QUOTED = { liquidity: 31_622_776n, quoted0: 2_000_000n, quoted1: 500_000_000n, slippageBps: 50 };
const ADD = { ...QUOTED, max0: 2_010_000n, max1: 502_500_000n };
const REMOVE = { ...QUOTED, min0: 1_990_000n, min1: 497_500_000n };

/** The operator's wallets that the signer controls and that are to sign. */
export interface Operator {
  readonly sponsor?: string;
  readonly treasury?: string;
}

const ORDER: intentV1.EscrowOrder = {
  ticker: 'KXHIGHNY-26NOV24-T50',
  side: 'yes',
  count: 2_500n,
  maxPriceUsdMicros: 480_000n,
  maxCostUsdMicros: 12_510_000n,
};

/** Returns one scenario for every kind of message that can be built. */
export function scenarios(wallet: string, operator: Operator = {}): Scenario[] {
  const { sponsor = SPONSOR.toBase58(), treasury = TREASURY.toBase58() } = operator;
  const scenario = (name: string, action: intentV1.Intent['action'], price = 0n): Scenario => ({
    name,
    intent: { wallet, action },
    computeUnitPriceMicroLamports: price,
  });
  const transfer = (name: string, value: intentV1.Transfer, price?: bigint) =>
    scenario(name, { $case: 'transfer', value }, price);
  const unwrap = (name: string, value: intentV1.Unwrap, price?: bigint) =>
    scenario(name, { $case: 'unwrap', value }, price);
  const usdc = { treasury, mint: MINT.toBase58(), tokenProgram: TOKEN_PROGRAM_ID.toBase58(), decimals: 6 };
  const escrow = (price?: bigint, order?: intentV1.EscrowOrder) =>
    scenario('escrow', { $case: 'escrow', value: { ...usdc, amount: ORDER.maxCostUsdMicros, order } }, price);
  const payout = (name: string, createsRecipientAccount: boolean, price?: bigint) =>
    scenario(name, { $case: 'payout', value: { ...usdc, amount: 3_141_593n, createsRecipientAccount } }, price);
  const add = (name: string, pool: intentV1.LiquidityPool, price?: bigint) =>
    scenario(`liquidity added, ${name}`, { $case: 'liquidityAdd', value: { pool, ...ADD } }, price);
  const remove = (name: string, pool: intentV1.LiquidityPool, price?: bigint) =>
    scenario(`liquidity removed, ${name}`, { $case: 'liquidityRemove', value: { pool, ...REMOVE } }, price);
  /** Adds a sponsor. The highest fee covers two signatures and a small price. */
  const sponsored = ({ name, intent, ...rest }: Scenario): Scenario => ({
    ...rest,
    name: `${name}, sponsored`,
    intent: { ...intent, sponsor, maxNetworkFeeLamports: rest.computeUnitPriceMicroLamports > 0n ? 10_010n : 10_000n },
  });
  const newAccount = { createsRecipientAccount: true };
  return [
    transfer('native coin', NATIVE),
    transfer('native coin, memo and price', { ...NATIVE, memo: 'Invoice 7 – café' }, 1_000n),
    transfer('token', TOKEN),
    transfer('token, new account, memo and price', { ...TOKEN, ...newAccount, memo: 'rent' }, 50n),
    transfer('token-2022', TOKEN_2022),
    transfer('token-2022, new account', { ...TOKEN_2022, ...newAccount }),
    transfer('largest amount', { ...TOKEN, amount: 2n ** 64n - 1n }),
    transfer('native coin, fee', { ...NATIVE, ...FEE }),
    transfer('token, fee and memo', { ...TOKEN, ...FEE, memo: 'with a fee' }),
    unwrap('unwrap', UNWRAP),
    unwrap('unwrap, remainder and price', PARTIAL_UNWRAP, 50n),
    escrow(),
    payout('payout', false),
    payout('payout, new account and price', true, 50n),
    add('two tokens', POOL),
    add('SOL first, price', SOL_FIRST, 50n),
    add('SOL second', SOL_SECOND),
    remove('two tokens, price', POOL, 50n),
    remove('SOL first', SOL_FIRST),
    remove('SOL second', SOL_SECOND),
    sponsored(escrow(50n, ORDER)),
    sponsored(transfer('native coin', NATIVE)),
    sponsored(transfer('native coin, fee', { ...NATIVE, ...FEE })),
    sponsored(transfer('token, price', TOKEN, 50n)),
    sponsored(transfer('token-2022, new account, fee and memo', { ...TOKEN_2022, ...newAccount, ...FEE, memo: 'all' })),
    sponsored(unwrap('unwrap', UNWRAP)),
    sponsored(unwrap('unwrap, remainder', PARTIAL_UNWRAP)),
  ];
}

/** Returns the address that owns and signs for the spent money: the wallet, or the treasury for a payout. */
export function signerOf({ intent: { wallet, action } }: Pick<Scenario, 'intent'>): string {
  return action?.$case === 'payout' ? action.value.treasury : wallet;
}

/** Returns the address that pays the network fee. */
export function payerOf({ intent }: Pick<Scenario, 'intent'>): string {
  return intent.sponsor ?? signerOf({ intent });
}
