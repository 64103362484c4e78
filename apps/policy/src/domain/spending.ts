import type { TokenScope } from '@agent-wallet/kernel';
import type { Rule } from './decision.js';
import type { OperationTerms } from './owners/document.js';
import type { Policy } from './policy.js';

/** The facts of a kind of spending that more than one place needs. */
interface SpendingFacts {
  /** The switch of the policy that forbids it at any value, with the rule that the refusal names. */
  readonly stop?: { readonly field: keyof Policy; readonly rule: Rule };
  /** Scope that a scoped token needs; undefined for what brings the agent its own money, which every token may. */
  readonly scope?: TokenScope;
  /** Whether a setting of the service may require an owner. */
  readonly needsOwner: boolean;
  /** Whether its value counts to the limits of the policy and of tokens, so that it needs a price. */
  readonly isLimited: boolean;
  /** The case of the intent that an owner can approve, with its action in the public API. */
  readonly approval?: { readonly intent: string; readonly action: keyof OperationTerms };
}

const SPENT = { needsOwner: true, isLimited: true } as const;
const OWN = { needsOwner: false, isLimited: false } as const;
const LIQUIDITY = {
  scope: 'liquidity',
  stop: { field: 'allowLiquidityProvision', rule: 'liquidity_disabled' },
} as const;

/**
 * The kinds of spending, as the schema's enum names them: the one list of them. What the functions of the schema say of each
 * is compared with it in spending.spec.ts.
 */
export const SPENDING = {
  payment: { ...SPENT, scope: 'transfer', approval: { intent: 'transfer', action: 'transfer' } },
  trade: {
    ...SPENT,
    scope: 'trade',
    stop: { field: 'allowTrading', rule: 'trading_disabled' },
    approval: { intent: 'swap', action: 'trade' },
  },
  escrow: {
    ...SPENT,
    scope: 'predict',
    stop: { field: 'allowPredictionMarkets', rule: 'prediction_markets_disabled' },
    approval: { intent: 'escrow', action: 'prediction_buy' },
  },
  self: { ...OWN, scope: 'trade' },
  payout: OWN,
  liquidity_add: { ...SPENT, ...LIQUIDITY, approval: { intent: 'liquidityAdd', action: 'liquidity_add' } },
  liquidity_remove: { ...OWN, ...LIQUIDITY },
} as const satisfies Readonly<Record<string, SpendingFacts>>;

/** A kind of spending. */
export type SpendingKind = keyof typeof SPENDING;

/** Every kind of spending. */
export const SPENDING_KINDS = Object.keys(SPENDING) as SpendingKind[];

/** Returns the facts of a kind. */
export function spendingFacts(kind: SpendingKind): SpendingFacts {
  return SPENDING[kind];
}

type FactsOf = (typeof SPENDING)[SpendingKind];

/** A case of the intent that an owner can approve, with its action in the public API. */
export type Approvable = Extract<FactsOf, { readonly approval: unknown }>['approval'];

/** Every case of the intent that an owner can approve. */
export const APPROVABLE = SPENDING_KINDS.flatMap((kind) => spendingFacts(kind).approval ?? []) as readonly Approvable[];
