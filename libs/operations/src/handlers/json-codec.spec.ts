import { describe, expect, it } from '@jest/globals';
import { type BaseUnits, baseUnits, MAX_BASE_UNITS, type RequestedAmount } from '@agent-wallet/kernel';
import {
  amount,
  amountOf,
  requestedAmount,
  flag,
  integer,
  list,
  oneOf,
  optional,
  planCodec,
  record,
  requestCodec,
  signedAmount,
  text,
  UnreadableJson,
  variants,
} from './json-codec.js';

interface Part {
  readonly fee: bigint;
  readonly memo?: string;
}

interface Plan {
  readonly name: string;
  readonly count: number;
  readonly side: 'yes' | 'no';
  readonly isDone: boolean;
  readonly owed: bigint;
  readonly change: bigint;
  readonly parts: readonly Part[];
  readonly note?: string;
}

const codec = planCodec(
  record<Plan>({
    name: text,
    count: integer,
    side: oneOf('yes', 'no'),
    isDone: flag,
    owed: amount,
    change: signedAmount,
    parts: list(record<Part>({ fee: amount, memo: optional(text) })),
    note: optional(text),
  }),
);

const PLAN: Plan = {
  name: 'a',
  count: 3,
  side: 'no',
  isDone: false,
  owed: 2n ** 70n,
  change: -5n,
  parts: [{ fee: 0n }, { fee: 1n, memo: 'm' }],
};

const JSON_OF_PLAN = {
  name: 'a',
  count: 3,
  side: 'no',
  isDone: false,
  owed: '1180591620717411303424',
  change: '-5',
  parts: [{ fee: '0' }, { fee: '1', memo: 'm' }],
};

describe('a plan of members', () => {
  it('stores amounts as decimal strings and leaves absent members out', () => {
    expect(codec.encode(PLAN)).toEqual(JSON_OF_PLAN);
    expect(JSON.parse(JSON.stringify(codec.encode({ ...PLAN, note: undefined })))).not.toHaveProperty('note');
  });

  it('is the same after it was stored and read', () => {
    expect(codec.decode(JSON.parse(JSON.stringify(codec.encode(PLAN))))).toEqual(PLAN);
    expect(codec.decode({ ...JSON_OF_PLAN, note: 'n' })).toEqual({ ...PLAN, note: 'n' });
  });

  it.each([
    ['plan', null],
    ['plan', []],
    ['plan', 'text'],
    ['plan.name', { ...JSON_OF_PLAN, name: 1 }],
    ['plan.count', { ...JSON_OF_PLAN, count: 1.5 }],
    ['plan.count', { ...JSON_OF_PLAN, count: '3' }],
    ['plan.side', { ...JSON_OF_PLAN, side: 'maybe' }],
    ['plan.isDone', { ...JSON_OF_PLAN, isDone: 'false' }],
    ['plan.owed', { ...JSON_OF_PLAN, owed: 3 }],
    ['plan.owed', { ...JSON_OF_PLAN, owed: '-3' }],
    ['plan.owed', { ...JSON_OF_PLAN, owed: '03' }],
    ['plan.owed', { ...JSON_OF_PLAN, owed: '3.0' }],
    ['plan.owed', { ...JSON_OF_PLAN, owed: '' }],
    ['plan.change', { ...JSON_OF_PLAN, change: '-0' }],
    ['plan.parts', { ...JSON_OF_PLAN, parts: {} }],
    ['plan.parts[1].fee', { ...JSON_OF_PLAN, parts: [{ fee: '0' }, {}] }],
    ['plan.parts[0].memo', { ...JSON_OF_PLAN, parts: [{ fee: '0', memo: null }] }],
    ['plan.note', { ...JSON_OF_PLAN, note: 7 }],
    ['plan.extra', { ...JSON_OF_PLAN, extra: 1 }],
    ['plan.toString', { ...JSON_OF_PLAN, toString: 1 }],
  ])('rejects what it does not understand, by its path: %s', (at, json) => {
    expect(() => codec.decode(json)).toThrow(UnreadableJson);
    expect(() => codec.decode(json)).toThrow(`${at} must be `);
  });

  it('does not store what it could not read again', () => {
    expect(() => codec.encode({ ...PLAN, count: 1.5 })).toThrow('not stored: plan.count must be an integer');
  });

  it('keeps the range of a branded amount when it stores and when it reads', () => {
    const units = planCodec(record<{ readonly sent: BaseUnits }>({ sent: amountOf(baseUnits) }));
    expect(units.decode({ sent: MAX_BASE_UNITS.toString() })).toEqual({ sent: MAX_BASE_UNITS });
    expect(() => units.decode({ sent: (MAX_BASE_UNITS + 1n).toString() })).toThrow('within its range');
    expect(() => codec.encode({ ...PLAN, owed: -1n })).toThrow('not stored: plan.owed must be');
  });
});

describe('a plan of variants', () => {
  type State =
    | { readonly state: 'sending'; readonly token: string }
    | { readonly state: 'sent'; readonly orderId: string; readonly paid?: bigint };

  const states = planCodec(
    variants<State, 'state'>('state', {
      sending: { token: text },
      sent: { orderId: text, paid: optional(amount) },
    }),
  );

  it.each<[State, object]>([
    [
      { state: 'sending', token: 't' },
      { state: 'sending', token: 't' },
    ],
    [
      { state: 'sent', orderId: 'o', paid: 7n },
      { state: 'sent', orderId: 'o', paid: '7' },
    ],
  ])('has the members of its state: %o', (plan, json) => {
    expect(states.encode(plan)).toEqual(json);
    expect(states.decode(json)).toEqual(plan);
  });

  it.each([
    ['plan.state must be one of sending, sent', { token: 't' }],
    ['plan.state must be one of sending, sent', { state: 'lost', token: 't' }],
    ['plan.state must be one of sending, sent', { state: 'constructor' }],
    ['plan.token must be absent', { state: 'sent', orderId: 'o', token: 't' }],
    ['plan.orderId must be a string', { state: 'sent' }],
  ])('rejects the members of another state: %s', (message, json) => {
    expect(() => states.decode(json)).toThrow(message);
  });
});

describe('a requested amount', () => {
  const field = requestCodec(record<{ readonly amount: RequestedAmount }>({ amount: requestedAmount }));

  it.each([
    [{ digits: 15n, scale: 1 }, '1.5'],
    [{ digits: 1n, scale: 60 }, `0.${'0'.repeat(59)}1`],
    [{ digits: 10n ** 120n, scale: 0 }, `1${'0'.repeat(120)}`],
    [baseUnits(1n), 'raw:1'],
    [baseUnits(2n ** 64n - 1n), 'raw:18446744073709551615'],
  ])('is stored as its text: %o', (digits, text) => {
    expect(field.encode({ amount: digits })).toEqual({ amount: text });
    expect(field.decode({ amount: text })).toEqual({ amount: digits });
  });

  it('is stored alike however it was written', () => {
    expect(field.encode({ amount: { digits: 150n, scale: 2 } })).toEqual({ amount: '1.5' });
  });

  it.each(['', '-1', '1.', '.5', '1e3', 'NaN', 1, 'raw:', 'raw:0', 'raw:1.5'])('is not %j', (json) => {
    expect(() => field.decode({ amount: json })).toThrow('request.amount must be a decimal number');
  });
});
