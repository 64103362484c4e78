import { addressBytes } from '../addresses/address.js';
import { associatedTokenAddress } from '../addresses/associated-token-address.js';
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../addresses/programs.js';
import type { LiquidityPlan, PoolSidePlan } from '../intents/liquidity-plan.js';
import { CPMM_AUTHORITY, CPMM_PROGRAM } from '../liquidity/cpmm-addresses.js';
import {
  accountCreation,
  closing,
  type ExpectedInstruction,
  nativePayment,
  readonly,
  wrapping,
  writable,
} from './expected-instruction.js';

const CPMM_PROGRAM_BYTES = addressBytes(CPMM_PROGRAM);
/** The first eight bytes of SHA-256 of `global:deposit` and `global:withdraw`. */
const DISCRIMINATORS = { liquidity_add: 0xb6f2e15289c623f2n, liquidity_remove: 0x22a16d949c4612b7n } as const;

/**
 * Returns the expected instructions of an addition or a removal of liquidity. What the program does not check is exact
 * here: it would pay out to accounts of anyone, and take maxima that eat up all the wallet holds.
 */
export function expectedLiquidity(wallet: string, plan: LiquidityPlan): ExpectedInstruction[] {
  const { kind, pool, bounds } = plan;
  const expected: ExpectedInstruction[] = [];
  const creation = (name: string, { mint, tokenProgram }: Pick<PoolSidePlan, 'mint' | 'tokenProgram'>) =>
    expected.push(accountCreation(name, { payer: wallet, owner: wallet, mint, tokenProgram }));
  const solSide = pool.sides.findIndex(({ mint }) => mint === WRAPPED_SOL_MINT);
  const wrapped = associatedTokenAddress({ owner: wallet, mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM });
  if (kind === 'liquidity_add') {
    creation("the creation of the liquidity tokens' account", { mint: pool.lpMint, tokenProgram: TOKEN_PROGRAM });
    if (solSide >= 0) {
      creation('the creation of the account of wrapped SOL', pool.sides[solSide]!);
      const lamports = { wallet, recipient: wrapped, amount: bounds[solSide]! };
      expected.push(nativePayment('the transfer of the SOL that is wrapped', lamports));
      expected.push(wrapping('the wrapping of the SOL', wrapped));
    }
  } else {
    pool.sides.forEach((side, i) => creation(`the creation of the account of token ${i}`, side));
  }
  expected.push(programCall(wallet, plan));
  if (solSide >= 0) expected.push(closing('the closing of the wrapped SOL', wallet, wrapped));
  return expected;
}

/** Expects the program's instruction, with the wallet's own accounts and the pool's derived ones. */
function programCall(wallet: string, { kind, pool, liquidity, bounds }: LiquidityPlan): ExpectedInstruction {
  const own = (mint: string, tokenProgram: PoolSidePlan['tokenProgram']) =>
    writable(associatedTokenAddress({ owner: wallet, mint, tokenProgram }));
  const [side0, side1] = pool.sides;
  const data = Buffer.alloc(32);
  data.writeBigUInt64LE(DISCRIMINATORS[kind], 0);
  data.writeBigUInt64LE(liquidity, 8);
  data.writeBigUInt64LE(bounds[0], 16);
  data.writeBigUInt64LE(bounds[1], 24);
  return {
    name: kind === 'liquidity_add' ? 'the deposit' : 'the withdrawal',
    program: CPMM_PROGRAM_BYTES,
    accounts: [
      readonly(wallet),
      readonly(CPMM_AUTHORITY),
      writable(pool.address),
      own(pool.lpMint, TOKEN_PROGRAM),
      own(side0.mint, side0.tokenProgram),
      own(side1.mint, side1.tokenProgram),
      writable(side0.vault),
      writable(side1.vault),
      readonly(TOKEN_PROGRAM),
      readonly(TOKEN_2022_PROGRAM),
      readonly(side0.mint),
      readonly(side1.mint),
      writable(pool.lpMint),
      ...(kind === 'liquidity_remove' ? [readonly(MEMO_PROGRAM)] : []),
    ],
    data,
    dataReason: 'amount',
  };
}
