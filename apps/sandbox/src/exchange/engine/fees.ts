import { DOLLAR_MICROS, type FeeType } from './market-state.js';

/** A direct member's cash is kept to $0.0001. */
export const CASH_STEP_MICROS = 100n;
const FEE_STEP_MICROS = 100n;
const REBATE_MICROS = 10_000n;

/** Ten-thousandths of C·P·(1−P). */
const TAKER_RATE = 700n;
const MAKER_RATES: Readonly<Record<FeeType, bigint>> = {
  quadratic: 0n,
  quadratic_with_maker_fees: 175n,
  quadratic_with_combo_maker_fees: 350n,
  flat: 0n,
};

/** What a market charges. */
export interface FeeTerms {
  readonly feeType: FeeType;
  /** Millionths. */
  readonly multiplier: bigint;
}

/** What is charged for. */
interface FilledPart {
  readonly hundredths: bigint;
  readonly priceMicros: bigint;
  readonly isTaker: boolean;
}

/**
 * ⌈rate × multiplier × C × P × (1−P)⌉ to $0.0001 (kalshi.md, section 7). How a flat fee is charged is not published;
 * here the multiplier is a taker's dollars a contract.
 */
export function tradeFeeMicros({ feeType, multiplier }: FeeTerms, part: FilledPart): bigint {
  const { hundredths, priceMicros, isTaker } = part;
  if (feeType === 'flat') return isTaker ? ceil(multiplier * hundredths, 100n * FEE_STEP_MICROS) * FEE_STEP_MICROS : 0n;
  const rate = isTaker ? TAKER_RATE : MAKER_RATES[feeType];
  const product = rate * multiplier * hundredths * priceMicros * (DOLLAR_MICROS - priceMicros);
  // Ten-thousandths, millionths, hundredths and twice micro-dollars, less the dollar's micros of the answer.
  return ceil(product, 10_000n * 1_000_000n * 100n * DOLLAR_MICROS * FEE_STEP_MICROS) * FEE_STEP_MICROS;
}

/** How a fill moves the cash, with what its order carries over to its next fill. */
interface Charged {
  readonly feeMicros: bigint;
  readonly cashMicros: bigint;
  readonly carriedMicros: bigint;
}

/**
 * The change of cash is floored to the step; what is cut is part of the fee, adds up over the order's fills, and comes
 * back a cent at a time once it is more than one. No fill's fee is negative: a rebate that is more than it is carried on.
 *
 * @param grossMicros the change without any fee; negative when paid
 */
export function charge(
  grossMicros: bigint,
  feeMicros: bigint,
  carriedMicros: bigint,
  stepMicros = CASH_STEP_MICROS,
): Charged {
  const exact = grossMicros - feeMicros;
  const floored = floor(exact, stepMicros) * stepMicros;
  const cut = exact - floored;
  const carried = carriedMicros + cut;
  const charged = feeMicros + cut;
  const rebate = carried > REBATE_MICROS && charged >= REBATE_MICROS ? REBATE_MICROS : 0n;
  return { feeMicros: charged - rebate, cashMicros: floored + rebate, carriedMicros: carried - rebate };
}

function ceil(value: bigint, by: bigint): bigint {
  return -floor(-value, by);
}

function floor(value: bigint, by: bigint): bigint {
  const rest = value % by;
  return (value - rest) / by - (rest < 0n ? 1n : 0n);
}
