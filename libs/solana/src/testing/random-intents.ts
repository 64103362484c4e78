import type { intentV1 } from '@agent-wallet/contracts';
import { SOL_DECIMALS } from '@agent-wallet/kernel';
import fc from 'fast-check';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { keyOf } from './actors.js';
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
      ),
      payer: fc.option(owned(sponsor, 'sponsor')),
    })
    .map(({ action, payer }): intentV1.Intent => ({
      wallet,
      action,
      ...(payer === null || action.$case === 'payout' ? {} : { sponsor: payer, maxNetworkFeeLamports: 10_000n }),
    }));
}

/** Returns the kind of an intent, at the granularity at which messages differ. */
export function kindOf({ action, sponsor }: intentV1.Intent): string {
  const by = sponsor === undefined ? [] : ['sponsored'];
  if (action?.$case === 'unwrap')
    return ['unwrap', ...(action.value.remainder > 0n ? ['remainder'] : []), ...by].join();
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
