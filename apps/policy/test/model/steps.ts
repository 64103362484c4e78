import type { TokenScope } from '@agent-wallet/kernel';
import fc from 'fast-check';

/** Steps of a sequence. Numbers name things by their place: a place beyond the last one starts over. */

export const USD = 1_000_000n;
export const DAY_MINUTES = 1_440;
/** Prices of the token, in cents. */
export const PRICES = [25n, 50n, 80n, 100n, 125n, 200n, 400n] as const;
/** Index of the first price. */
export const FIRST_PRICE = 3;
/** Addresses that payments go to; the last one is off the curve. */
export const RECIPIENTS = 4;
export const OFF_CURVE = RECIPIENTS - 1;

/** The fields of a policy that steps change. Amounts are micro-dollars, lists are places. */
export interface PolicyFields {
  single: bigint;
  daily: bigint;
  recipients: readonly number[];
  newRecipients: 'allow' | 'approve' | 'deny';
  approveAbove: bigint | null;
  trading: boolean;
  betting: boolean;
  /** Mints that trades may bring. */
  mints: readonly number[] | null;
}

export type Change = Partial<PolicyFields>;

/** A requester. Owner 0 is the first one; the others may join. */
export type Principal =
  | { readonly is: 'session' | 'operator' }
  | { readonly is: 'token' | 'owner'; readonly n: number };

export interface Grant {
  readonly scopes: readonly TokenScope[];
  readonly recipients: readonly number[] | null;
  readonly single: bigint | null;
  readonly daily: bigint | null;
  readonly total: bigint | null;
  readonly minutes: number;
}

export type Kind = 'payment' | 'trade' | 'escrow';

export type Step =
  | { readonly does: 'change' | 'propose'; readonly by: Principal; readonly change: Change }
  | { readonly does: 'open token'; readonly by: Principal; readonly grant: Grant }
  | { readonly does: 'end token'; readonly n: number }
  | { readonly does: 'member'; readonly by: Principal; readonly member: number; readonly leaves: boolean }
  | Asking
  | { readonly does: 'repeat'; readonly n: number }
  | { readonly does: 'finish'; readonly n: number; readonly as: 'settled' | 'failed' | 'expired' }
  | { readonly does: 'sign' | 'close'; readonly n: number; readonly by: Principal }
  | { readonly does: 'price'; readonly up: boolean }
  | { readonly does: 'wait'; readonly minutes: number; readonly sweeps: boolean }
  | { readonly does: 'freeze' | 'unfreeze'; readonly by: Principal };

/** The steps of one name. */
export type StepOf<Does extends Step['does']> = Step extends infer Each
  ? Each extends { readonly does: infer Name }
    ? Does extends Name
      ? Each
      : never
    : never
  : never;

/** A request for a decision: so many tokens of the model's price, or dollars of a bet. */
export interface Asking {
  readonly does: 'ask';
  readonly by: Principal;
  readonly kind: Kind;
  /** Place of a recipient, or of a mint. */
  readonly target: number;
  readonly amount: bigint;
}

/** A sequence: the first policy, two tokens, and steps. */
export interface Sequence {
  readonly policy: PolicyFields;
  readonly grants: readonly Grant[];
  readonly steps: readonly Step[];
}

const dollars = (...of: number[]) => fc.constantFrom(...of.map((each) => BigInt(each) * USD));
const orNone = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 });
const places = (count: number, minLength = 0) =>
  fc.subarray(
    Array.from({ length: count }, (_, n) => n),
    { minLength },
  );

const fields = {
  single: dollars(20, 50, 100),
  daily: dollars(50, 100, 150),
  recipients: fc.oneof(fc.constant([]), places(RECIPIENTS)),
  newRecipients: fc.constantFrom('allow' as const, 'approve' as const, 'deny' as const),
  approveAbove: orNone(dollars(10, 30)),
  trading: fc.boolean(),
  betting: fc.boolean(),
  mints: orNone(places(2)),
};

/** Wide enough for most requests, so that later rules are reached. */
const firstPolicy: fc.Arbitrary<PolicyFields> = fc.record({
  ...fields,
  single: dollars(50, 100),
  recipients: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: places(RECIPIENTS, 2) }),
  newRecipients: fc.constantFrom('allow', 'allow', 'approve', 'approve', 'deny'),
  approveAbove: fc.option(dollars(10, 30), { freq: 4 }),
  trading: fc.constant(true),
  betting: fc.constant(true),
  mints: fc.constant(null),
});

const change: fc.Arbitrary<Change> = fc
  .tuple(fc.record(fields), fc.subarray(Object.keys(fields) as (keyof PolicyFields)[], { minLength: 1, maxLength: 2 }))
  .map(([all, taken]) => Object.fromEntries(Object.entries(all).filter(([name]) => taken.includes(name as never))));

const grant: fc.Arbitrary<Grant> = fc.record({
  scopes: fc.constantFrom<TokenScope[]>(
    ['transfer', 'trade', 'predict'],
    ['transfer', 'trade', 'predict'],
    ['transfer'],
    ['trade', 'predict'],
  ),
  recipients: orNone(places(RECIPIENTS, 1)),
  single: orNone(dollars(10, 40)),
  daily: orNone(dollars(30, 60)),
  total: orNone(dollars(40, 90)),
  minutes: fc.constantFrom(60, DAY_MINUTES + 1, 10 * DAY_MINUTES),
});

const n = fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(7) });
const session = fc.constant<Principal>({ is: 'session' });
const operator = fc.constant<Principal>({ is: 'operator' });
const token: fc.Arbitrary<Principal> = fc.record({ is: fc.constant('token' as const), n });
const owner: fc.Arbitrary<Principal> = fc.record({
  is: fc.constant('owner' as const),
  n: fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2),
});
const does = <Name extends string>(...names: Name[]) => fc.constantFrom(...names);

const ask: fc.Arbitrary<Asking> = fc.record({
  does: does('ask'),
  by: fc.oneof(session, token),
  kind: fc.constantFrom('payment' as const, 'payment' as const, 'trade' as const, 'escrow' as const),
  target: fc.constantFrom(0, 0, 0, 1, 1, 2, OFF_CURVE),
  amount: fc.bigInt(1n, 40n),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: ask },
  { weight: 6, arbitrary: fc.record({ does: does('sign'), n, by: owner }) },
  { weight: 3, arbitrary: fc.record({ does: does('repeat'), n }) },
  { weight: 3, arbitrary: fc.record({ does: does('finish'), n, as: does('settled', 'settled', 'failed', 'expired') }) },
  { weight: 2, arbitrary: fc.record({ does: does('close'), n, by: fc.oneof(session, token, owner) }) },
  { weight: 2, arbitrary: fc.record({ does: does('change'), by: fc.oneof(session, session, owner), change }) },
  { weight: 2, arbitrary: fc.record({ does: does('propose'), by: fc.oneof(session, token, owner), change }) },
  { weight: 1, arbitrary: fc.record({ does: does('open token'), by: fc.oneof(session, owner), grant }) },
  { weight: 1, arbitrary: fc.record({ does: does('end token'), n }) },
  { weight: 1, arbitrary: fc.record({ does: does('member'), by: owner, member: fc.nat(2), leaves: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: does('price'), up: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: does('wait'),
      minutes: fc.constantFrom(1, 1, 59, DAY_MINUTES - 1, DAY_MINUTES),
      sweeps: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: does('freeze', 'unfreeze'), by: fc.oneof(owner, operator) }) },
);

const sequence: fc.Arbitrary<Sequence> = fc.record({
  policy: firstPolicy,
  grants: fc.array(grant, { minLength: 2, maxLength: 2 }),
  steps: fc.array(step, { minLength: 9, maxLength: 15 }),
});

/** Makes the sequence of a seed, always the same one. */
export function sequenceOf(seed: number): Sequence {
  return fc.sample(sequence, { seed, numRuns: 1 })[0]!;
}
