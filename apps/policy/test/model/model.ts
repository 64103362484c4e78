import {
  type Asking,
  type Change,
  DAY_MINUTES,
  FIRST_PRICE,
  type Grant,
  OFF_CURVE,
  type PolicyFields,
  PRICES,
  type Sequence,
  USD,
} from './steps.js';

/** The rules of decisions, said once more over plain data. Nothing here calls the product. Times are minutes. */

export interface Token extends Grant {
  readonly expiresAt: number;
  isEnded: boolean;
}

/** A payment, a trade or a bet, asked for once. */
export interface Operation extends Pick<Asking, 'kind' | 'target' | 'amount'> {
  readonly token: number | undefined;
  /** Undefined until it is granted. */
  state?: 'open' | 'settled' | 'failed' | 'expired';
  value: bigint;
  createdAt: number;
  settledAt: number;
  isApproved: boolean;
}

export type ApprovalState = 'pending' | 'approved' | 'applied' | 'superseded' | 'used' | 'void' | Closed | 'expired';
type Closed = 'rejected' | 'withdrawn';

export interface Approval {
  readonly about: About;
  /** The owner who asked; undefined for the agent. */
  readonly owner: number | undefined;
  /** The token that asked. */
  readonly token: number | undefined;
  readonly expiresAt: number;
  readonly votes: number[];
  state: ApprovalState;
}

type Pair = readonly [before: unknown, after: unknown];

export type About =
  | { readonly kind: 'operation'; readonly operation: Operation }
  | { readonly kind: 'policy'; readonly changes: ReadonlyMap<keyof PolicyFields, Pair> }
  | { readonly kind: 'member'; readonly member: number; readonly leaves: boolean }
  | { readonly kind: 'token'; readonly grant: Grant; readonly expiresAt: number }
  | { readonly kind: 'unfreeze'; readonly since: number };

interface Recipient {
  firstSettledAt: number | undefined;
  isTrusted: boolean;
  forgottenAt: number | undefined;
}

/** The state of an agent, and what is decided in it. */
export class Model {
  now = 0;
  price = FIRST_PRICE;
  policy: PolicyFields;
  owners = new Set([0]);
  readonly tokens: Token[];
  readonly operations: Operation[] = [];
  readonly approvals: Approval[] = [];
  isFrozenByOperator = false;
  frozenByOwnerAt: number | undefined;
  readonly #highs = new Map<number, bigint>();
  readonly #recipients = new Map<number, Recipient>();
  #restrictedSince: number;

  constructor({ policy, grants }: Sequence) {
    this.policy = policy;
    this.#restrictedSince = policy.newRecipients === 'allow' ? -1 : 0;
    this.tokens = grants.map((grant) => this.tokenOf(grant));
  }

  tokenOf(grant: Grant, expiresAt = this.now + grant.minutes): Token {
    return { ...grant, expiresAt, isEnded: false };
  }

  isLive({ isEnded, expiresAt }: Token): boolean {
    return !isEnded && this.now < expiresAt;
  }

  /** Reads the price. What leaves is worth the highest price of a day; an hour counts until it is over for a day. */
  valueOf({ kind, amount }: Pick<Operation, 'kind' | 'amount'>): bigint {
    if (kind === 'escrow') return amount * USD;
    const hour = Math.floor(this.now / 60);
    const price = PRICES[this.price]!;
    const high = this.#highs.get(hour);
    if (high === undefined || price > high) this.#highs.set(hour, price);
    const cents = [...this.#highs].filter(([at]) => at + 1 > this.now / 60 - 24).map(([, of]) => of);
    return (amount * cents.reduce((one, other) => (one > other ? one : other)) * USD) / 100n;
  }

  /** Returns the verdict on an operation, with or without an owner's approval. */
  verdict(asked: Operation, value: bigint, isApproved = false): string {
    if (asked.state !== undefined && asked.state !== 'open') return 'conflict_attempt_is_over';
    const rule = this.#violatedRule(asked, value, isApproved);
    return asked.token === undefined ? rule : this.#ofToken(asked, value, rule);
  }

  #violatedRule(asked: Operation, value: bigint, isApproved: boolean): string {
    const { kind, target } = asked;
    const { policy } = this;
    const isPayment = kind === 'payment';
    const isNew = isPayment && policy.newRecipients !== 'allow' && !this.#isKnown(target);
    const used = this.used().filter((each) => each !== asked);
    if (this.isFrozenByOperator || this.frozenByOwnerAt !== undefined) return 'frozen';
    if (kind === 'trade' && !policy.trading) return 'trading_disabled';
    if (kind === 'escrow' && !policy.betting) return 'prediction_markets_disabled';
    if (kind === 'trade' && policy.mints && !policy.mints.includes(target % 2)) return 'token_not_allowed';
    if (isPayment && target === OFF_CURVE && !policy.recipients.includes(target)) return 'recipient_off_curve';
    if (isPayment && policy.recipients.length > 0 && !policy.recipients.includes(target))
      return 'recipient_not_allowed';
    if (isNew && policy.newRecipients === 'deny') return 'new_recipient';
    if (value > policy.single) return 'single_transaction_limit';
    if (sum(used) + value > policy.daily) return 'daily_limit';
    if (isApproved) return 'granted';
    const isAbove = policy.approveAbove !== null && value + this.#alike(asked, used) > policy.approveAbove;
    if (!isAbove && !isNew) return 'granted';
    // It was granted without an approval, and may be on its way.
    if (asked.state === 'open' && !asked.isApproved) return isAbove ? 'above_amount' : 'new_recipient';
    return 'approval_required';
  }

  /** Sums what counts with a request to the amount that needs an approval. */
  #alike({ kind, target, state, createdAt }: Operation, used: readonly Operation[]): bigint {
    const before = state === 'open' ? createdAt : Infinity;
    const isAlike = (each: Operation) => each.kind === kind && (kind !== 'payment' || each.target === target);
    return sum(used.filter((each) => isAlike(each) && each.createdAt < before));
  }

  #ofToken(asked: Operation, value: bigint, rule: string): string {
    const token = this.tokens[asked.token!]!;
    const scope = { payment: 'transfer', trade: 'trade', escrow: 'predict' } as const;
    if (!this.isLive(token)) return 'grant_ended';
    if (!token.scopes.includes(scope[asked.kind])) return 'insufficient_scope';
    if (rule !== 'granted' && rule !== 'approval_required') return rule;
    const isOver = (limit: bigint | null, used: bigint) => limit !== null && used + value > limit;
    const { today, total } = this.usedOf(asked.token!, asked);
    const isElsewhere = asked.kind === 'payment' && token.recipients?.includes(asked.target) === false;
    const isLimit = isOver(token.single, 0n) || isOver(token.daily, today) || isOver(token.total, total);
    return isElsewhere || isLimit ? 'grant_limit' : rule;
  }

  /** Lists what is open, or was settled within a day. */
  used(): Operation[] {
    const isToday = ({ settledAt }: Operation) => settledAt > this.now - DAY_MINUTES;
    return this.operations.filter((each) => each.state === 'open' || (each.state === 'settled' && isToday(each)));
  }

  usedOf(token: number, besides?: Operation): { readonly today: bigint; readonly total: bigint } {
    const isOwn = (each: Operation) => each.token === token && each !== besides;
    const ever = this.operations.filter(({ state }) => state === 'open' || state === 'settled');
    return { today: sum(this.used().filter(isOwn)), total: sum(ever.filter(isOwn)) };
  }

  settle(operation: Operation): void {
    const { target, createdAt, kind, isApproved } = operation;
    operation.settledAt = this.now;
    if (kind !== 'payment' || isApproved || createdAt <= this.#knownSince()) return;
    const known = this.#recipient(target);
    const isUnknown = known.firstSettledAt === undefined || known.firstSettledAt <= this.#knownSince();
    if (isUnknown && createdAt > (known.forgottenAt ?? -1)) known.firstSettledAt = this.now;
  }

  /** Stores a change. What an owner takes off the list is forgotten; what a signature adds is known. */
  store(change: Change, by: 'agent' | 'owner' | 'signature'): void {
    const before = this.policy;
    this.policy = { ...before, ...change };
    const { newRecipients, recipients } = this.policy;
    if (newRecipients === 'allow') this.#restrictedSince = -1;
    else if (before.newRecipients === 'allow') this.#restrictedSince = this.now;
    if (by === 'agent') return;
    const removed = before.recipients.filter((each) => !recipients.includes(each));
    const added = recipients.filter((each) => !before.recipients.includes(each));
    for (const each of by === 'signature' ? added : []) this.#recipient(each).isTrusted = true;
    for (const each of removed) {
      const known = this.#recipient(each);
      if (known.isTrusted || known.firstSettledAt !== undefined) {
        this.#recipients.set(each, { firstSettledAt: undefined, isTrusted: false, forgottenAt: this.now });
      }
    }
  }

  #isKnown(target: number): boolean {
    const { isTrusted, firstSettledAt = -1 } = this.#recipient(target);
    return isTrusted || firstSettledAt > this.#knownSince();
  }

  /** The agent is claimed at the start: what was paid then says nothing. */
  #knownSince(): number {
    return Math.max(0, this.#restrictedSince);
  }

  #recipient(target: number): Recipient {
    const none = { firstSettledAt: undefined, isTrusted: false, forgottenAt: undefined };
    return this.#recipients.get(target) ?? this.#recipients.set(target, none).get(target)!;
  }
}

export function sum(operations: readonly Operation[]): bigint {
  return operations.reduce((total, { value }) => total + value, 0n);
}

/** Returns whether a change grants more than the policy in any field. */
export function loosens(before: PolicyFields, change: Change): boolean {
  const after = { ...before, ...change };
  const strictness = ['allow', 'approve', 'deny'];
  const isWithin = (list: readonly number[], of: readonly number[]) => list.every((each) => of.includes(each));
  const lists = { before: before.recipients, after: after.recipients };
  return (
    after.single > before.single ||
    after.daily > before.daily ||
    (after.trading && !before.trading) ||
    (after.betting && !before.betting) ||
    strictness.indexOf(after.newRecipients) < strictness.indexOf(before.newRecipients) ||
    (before.approveAbove !== null && (after.approveAbove === null || after.approveAbove > before.approveAbove)) ||
    (before.mints !== null && (after.mints === null || !isWithin(after.mints, before.mints))) ||
    (lists.before.length === 0
      ? lists.after.includes(OFF_CURVE)
      : lists.after.length === 0 || !isWithin(lists.after, lists.before))
  );
}
