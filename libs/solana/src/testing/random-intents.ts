import type { intentV1 } from '@agent-wallet/contracts';
import { SOL_DECIMALS } from '@agent-wallet/kernel';
import fc from 'fast-check';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../addresses/programs.js';
import { areInPoolOrder } from '../liquidity/cpmm-addresses.js';
import { leastWithin, mostWithin } from '../liquidity/cpmm-maths.js';
import { isLiquidity, keyOf } from './actors.js';
import type { Operator } from './scenarios.js';

const named = (what: string) => fc.string().map((name) => keyOf(`${what} ${name}`).toBase58());

/** Generates a wallet of the operator: the given one, or any. */
const owned = (address: string | undefined, what: string) => (address ? fc.constant(address) : named(what));

const transfer = fc
  .record({
    recipient: named('recipient'),
    isNative: fc.boolean(),
    mint: named('mint'),
    tokenProgram: fc.constantFrom<string>(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    decimals: fc.nat({ max: 255 }),
    createsRecipientAccount: fc.boolean(),
    memo: fc.string({ unit: 'grapheme', maxLength: 60 }),
    fee: fc.option(fc.bigInt({ min: 1n, max: 2n ** 63n })),
  })
  .map(({ isNative, fee, amount, ...token }): intentV1.Transfer => ({
    ...token,
    ...(isNative ? { mint: '', tokenProgram: '', decimals: SOL_DECIMALS, createsRecipientAccount: false } : {}),
    ...(fee === null ? { amount } : { amount: amount / 2n || 1n, fee, feeRecipient: keyOf(`fee ${fee}`).toBase58() }),
  }));

const unwrap = fc.record<intentV1.Unwrap>({
  amount: fc.bigInt({ min: 1n, max: 2n ** 63n }),
  remainder: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
});

const moveBy = (treasury: string | undefined) =>
  fc.record({
    treasury: owned(treasury, 'treasury'),
    mint: named('mint'),
    tokenProgram: fc.constant(TOKEN_PROGRAM),
    decimals: fc.nat({ max: 255 }),
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    createsRecipientAccount: fc.boolean(),
  });

const order = fc.record<Omit<intentV1.EscrowOrder, 'maxCostUsdMicros'>>({
  ticker: fc.string({ minLength: 1 }),
  side: fc.constantFrom('yes', 'no'),
  count: fc.bigInt({ min: 1n, max: 2n ** 32n }),
  maxPriceUsdMicros: fc.bigInt({ min: 1n, max: 999_999n }),
});

type Named = Omit<intentV1.EscrowOrder, 'maxCostUsdMicros'> | null;

/** Its order, where it names one, costs what it moves. */
function escrowOf(value: intentV1.Escrow, named: Named): { $case: 'escrow'; value: intentV1.Escrow } {
  const paidFor = named ? { order: { ...named, maxCostUsdMicros: value.amount } } : {};
  return { $case: 'escrow', value: { ...value, ...paidFor } };
}

const side = fc.record({
  mint: fc.oneof(fc.constant(WRAPPED_SOL_MINT), named('mint')),
  tokenProgram: fc.constantFrom<string>(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
  decimals: fc.nat({ max: 255 }),
});

const pool = fc
  .record({ config: named('config'), sides: fc.tuple(side, side) })
  .filter(({ sides: [one, other] }) => one.mint !== other.mint)
  .map(({ config, sides: [one, other] }): intentV1.LiquidityPool => {
    const [first, second] = areInPoolOrder([one.mint, other.mint]) ? [one, other] : [other, one];
    const programOf = ({ mint, tokenProgram }: typeof one) =>
      mint === WRAPPED_SOL_MINT ? TOKEN_PROGRAM : tokenProgram;
    return {
      config,
      ...{ mint0: first.mint, tokenProgram0: programOf(first), decimals0: first.decimals },
      ...{ mint1: second.mint, tokenProgram1: programOf(second), decimals1: second.decimals },
    };
  });

const amount = fc.bigInt({ min: 1n, max: 2n ** 63n });

const liquidity = fc
  .record({
    isAdded: fc.boolean(),
    pool,
    quoted: fc.record({ liquidity: amount, quoted0: amount, quoted1: amount }),
    slippageBps: fc.nat({ max: 1_000 }),
  })
  .map(({ isAdded, pool: of, quoted, slippageBps }) => {
    const value = { pool: of, ...quoted, slippageBps };
    const bound = isAdded ? mostWithin : leastWithin;
    const [bound0, bound1] = [bound(quoted.quoted0, slippageBps), bound(quoted.quoted1, slippageBps)];
    return isAdded
      ? { $case: 'liquidityAdd' as const, value: { ...value, max0: bound0, max1: bound1 } }
      : { $case: 'liquidityRemove' as const, value: { ...value, min0: bound0, min1: bound1 } };
  });

/**
 * Generates all intents that a wallet may be permitted, except trades: every kind, with every number that it may have.
 * The operator's wallets are arbitrary unless they are given.
 */
export function randomIntents(wallet: string, { sponsor, treasury }: Operator = {}): fc.Arbitrary<intentV1.Intent> {
  const move = moveBy(treasury);
  return fc
    .record({
      action: fc.oneof(
        transfer.map((value) => ({ $case: 'transfer' as const, value })),
        unwrap.map((value) => ({ $case: 'unwrap' as const, value })),
        fc.tuple(move, fc.option(order)).map(([value, named]) => escrowOf(value, named)),
        move.map((value) => ({ $case: 'payout' as const, value })),
        liquidity,
      ),
      payer: fc.option(owned(sponsor, 'sponsor')),
    })
    .map(({ action, payer }): intentV1.Intent => ({
      wallet,
      action,
      ...(payer === null || action.$case === 'payout' || isLiquidity(action)
        ? {}
        : { sponsor: payer, maxNetworkFeeLamports: 10_000n }),
    }));
}

/** Returns the kind of an intent, at the granularity at which messages differ. */
export function kindOf({ action, sponsor }: intentV1.Intent): string {
  const by = sponsor === undefined ? [] : ['sponsored'];
  if (action?.$case === 'unwrap')
    return ['unwrap', ...(action.value.remainder > 0n ? ['remainder'] : []), ...by].join();
  if (isLiquidity(action)) {
    const { mint0, mint1 } = action.value.pool!;
    const sol = [mint0, mint1].indexOf(WRAPPED_SOL_MINT);
    return [action.$case, ...(sol < 0 ? [] : [`SOL as side ${sol}`])].join();
  }
  if (action?.$case !== 'transfer') return [action?.$case, ...by].join();
  const { mint, tokenProgram, memo, fee, createsRecipientAccount } = action.value;
  return [
    'transfer',
    mint === '' ? 'native coin' : tokenProgram === TOKEN_PROGRAM ? 'token' : 'token-2022',
    ...(memo === '' ? [] : ['memo']),
    ...(fee === undefined ? [] : ['fee']),
    ...(createsRecipientAccount ? ['new account'] : []),
    ...by,
  ].join();
}
