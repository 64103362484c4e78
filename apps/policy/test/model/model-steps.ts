import { type About, type Approval, type ApprovalState, loosens, type Model, type Operation } from './model.js';
import {
  type Change,
  DAY_MINUTES,
  type PolicyFields,
  type Principal,
  PRICES,
  type Step,
  type StepOf,
} from './steps.js';

/** Pending approvals of one kind that one requester may have. */
const MAX_PENDING = 5;
const TOO_MANY = 'POLICY_VIOLATION too_many_approvals';

/** Takes steps in the model. Every method returns the outcome that the product must give. */
export class ModelSteps {
  /** The operation that the last `finish` ended. */
  lastFinished: Operation | undefined;

  constructor(readonly model: Model) {}

  take(step: Step): string {
    switch (step.does) {
      case 'change':
        return this.#change(step);
      case 'propose':
        return this.#propose(step);
      case 'open token':
        return this.#openToken(step);
      case 'end token':
        return this.#endToken(step);
      case 'member':
        return this.#member(step);
      case 'ask':
        return this.#ask(step);
      case 'repeat':
        return this.#repeat(step);
      case 'finish':
        return this.#finish(step);
      case 'sign':
        return this.#sign(step);
      case 'close':
        return this.#close(step);
      case 'freeze':
      case 'unfreeze':
        return this.#freeze(step);
      case 'price':
        this.model.price = Math.min(PRICES.length - 1, Math.max(0, this.model.price + (step.up ? 1 : -1)));
        return 'done';
      case 'wait':
        this.model.now += step.minutes;
        return 'done';
    }
  }

  /** Returns the token of a place; undefined for a session. */
  tokenOf(by: Principal): number | undefined {
    return by.is === 'token' ? by.n % this.model.tokens.length : undefined;
  }

  stateOf({ state, expiresAt }: Approval): ApprovalState {
    return (state === 'pending' || state === 'approved') && expiresAt <= this.model.now ? 'expired' : state;
  }

  /** Returns the approval of a place, the latest first. */
  approvalAt(n: number): Approval | undefined {
    const { approvals } = this.model;
    return approvals.at(-1 - (n % approvals.length));
  }

  #isOwner(by: Principal): boolean {
    return by.is === 'owner' && this.model.owners.has(by.n);
  }

  #change({ by, change }: StepOf<'change'>): string {
    if (by.is === 'owner' && !this.#isOwner(by)) return 'NOT_FOUND';
    if (loosens(this.model.policy, change)) return 'POLICY_LOOSENING_NEEDS_OWNER';
    this.model.store(change, by.is === 'owner' ? 'owner' : 'agent');
    return 'changed';
  }

  #propose({ by, change }: StepOf<'propose'>): string {
    if (by.is === 'owner' && !this.#isOwner(by)) return 'NOT_FOUND';
    const changes = changesOf(this.model.policy, change);
    if (changes.size === 0) return 'VALIDATION_ERROR';
    const isSame = (other: About) => other.kind === 'policy' && textOf([...other.changes]) === textOf([...changes]);
    return this.#request({ kind: 'policy', changes }, by, isSame);
  }

  #openToken({ by, grant }: StepOf<'open token'>): string {
    const { model } = this;
    if (by.is !== 'owner') {
      model.tokens.push(model.tokenOf(grant));
      return 'opened';
    }
    if (!this.#isOwner(by)) return 'NOT_FOUND';
    return this.#request({ kind: 'token', grant, expiresAt: model.now + grant.minutes }, by, () => false);
  }

  #endToken({ n }: StepOf<'end token'>): string {
    const token = n % this.model.tokens.length;
    if (this.model.isLive(this.model.tokens[token]!)) this.model.tokens[token]!.isEnded = true;
    for (const approval of this.model.approvals) {
      const isOpen = ['pending', 'approved'].includes(this.stateOf(approval));
      if (approval.token === token && isOpen) {
        approval.state = approval.about.kind === 'operation' ? 'void' : 'withdrawn';
      }
    }
    return 'ended';
  }

  #member({ by, member, leaves }: StepOf<'member'>): string {
    const { owners } = this.model;
    if (!this.#isOwner(by)) return 'NOT_FOUND';
    if (leaves && !owners.has(member)) return 'NOT_FOUND';
    if (leaves ? owners.size === 1 : owners.has(member)) return 'VALIDATION_ERROR';
    const isSame = (other: About) => other.kind === 'member' && other.member === member && other.leaves === leaves;
    return this.#request({ kind: 'member', member, leaves }, by, isSame);
  }

  #request(about: About, by: Principal, isSame: (other: About) => boolean): string {
    const { model } = this;
    const owner = by.is === 'owner' ? by.n : undefined;
    // What owners propose is of all of them.
    const isOfSame = (other: Approval) =>
      about.kind === 'policy' ? (other.owner === undefined) === (owner === undefined) : other.owner === owner;
    const pending = model.approvals.filter(
      (each) => each.about.kind === about.kind && isOfSame(each) && this.stateOf(each) === 'pending',
    );
    const same = pending.find((each) => isSame(each.about));
    if (same) return `pending ${model.approvals.indexOf(same)}`;
    if (pending.length >= MAX_PENDING) return TOO_MANY;
    return `pending ${this.#wait(about, owner, this.tokenOf(by))}`;
  }

  #wait(about: About, owner: number | undefined, token: number | undefined): number {
    const expiresAt = this.model.now + DAY_MINUTES;
    return this.model.approvals.push({ about, owner, token, expiresAt, votes: [], state: 'pending' }) - 1;
  }

  #ask({ by, kind, target, amount }: StepOf<'ask'>): string {
    const unset = { value: 0n, createdAt: 0, settledAt: 0, isApproved: false };
    const operation = { kind, target, amount, token: this.tokenOf(by), ...unset };
    this.model.operations.push(operation);
    return this.#decide(operation);
  }

  #repeat({ n }: StepOf<'repeat'>): string {
    const { operations } = this.model;
    return operations.length === 0 ? 'nothing' : this.#decide(operations.at(-1 - (n % operations.length))!);
  }

  #decide(operation: Operation): string {
    const { model } = this;
    const priced = model.valueOf(operation);
    const value = operation.state === undefined ? priced : operation.value;
    const verdict = model.verdict(operation, value);
    const approval = model.approvals.find(({ about }) => about.kind === 'operation' && about.operation === operation);
    const isOpen = approval && ['pending', 'approved'].includes(this.stateOf(approval));
    if (verdict === 'approval_required') return this.#useApproval(operation, value, approval);
    if (verdict === 'granted') grant(operation, value, model.now, false);
    else if (isOpen && !verdict.startsWith('conflict_')) approval.state = 'void';
    return verdict;
  }

  #useApproval(operation: Operation, value: bigint, approval: Approval | undefined): string {
    const { model } = this;
    if (!approval) {
      return `APPROVAL_REQUIRED ${this.#wait({ kind: 'operation', operation }, undefined, operation.token)}`;
    }
    const state = this.stateOf(approval);
    const place = model.approvals.indexOf(approval);
    if (state === 'pending') return `APPROVAL_REQUIRED ${place}`;
    if (state === 'expired') return 'APPROVAL_EXPIRED';
    if (state !== 'approved' && state !== 'used') return `APPROVAL_REJECTED ${state}`;
    const isUsable = approval.expiresAt > model.now && approval.votes.some((owner) => model.owners.has(owner));
    if (isUsable) {
      approval.state = 'used';
      grant(operation, value, model.now, true);
      return 'granted';
    }
    if (state === 'used') return 'APPROVAL_EXPIRED';
    approval.state = 'void';
    return 'APPROVAL_REJECTED void';
  }

  #finish({ n, as }: StepOf<'finish'>): string {
    const open = this.model.operations.filter(({ state }) => state === 'open');
    const operation = open[n % open.length];
    this.lastFinished = operation;
    if (!operation) return 'nothing';
    operation.state = as;
    if (as === 'settled') this.model.settle(operation);
    return as;
  }

  #isVisible({ about, owner, votes }: Approval, by: Principal): boolean {
    if (by.is !== 'owner') return about.kind === 'policy' || about.kind === 'operation' || about.kind === 'unfreeze';
    if (about.kind === 'unfreeze') return owner === by.n;
    const isAskedToJoin = about.kind === 'member' && !about.leaves && about.member === by.n && votes.length > 0;
    return this.#isOwner(by) || isAskedToJoin;
  }

  #sign({ n, by }: StepOf<'sign'>): string {
    const approval = this.approvalAt(n);
    if (!approval || by.is !== 'owner') return 'nothing';
    if (!this.#isVisible(approval, by)) return 'NOT_FOUND';
    const { about } = approval;
    const state = this.stateOf(approval);
    const isJoining = state === 'approved' && about.kind === 'member' && about.member === by.n;
    if (state !== 'pending' && !isJoining) return `APPROVAL_CLOSED ${state}`;
    approval.votes.push(by.n);
    approval.state = this.#effect(approval, by.n);
    return approval.state;
  }

  #effect({ about, owner, votes }: Approval, voter: number): ApprovalState {
    const { model } = this;
    switch (about.kind) {
      case 'operation':
        return 'approved';
      case 'policy': {
        const changes = [...about.changes];
        if (changes.some(([field, [before]]) => textOf(model.policy[field]) !== textOf(before))) return 'superseded';
        model.store(Object.fromEntries(changes.map(([field, [, after]]) => [field, after])), 'signature');
        return 'applied';
      }
      case 'token':
        if (about.expiresAt <= model.now) return 'superseded';
        model.tokens.push(model.tokenOf(about.grant, about.expiresAt));
        return 'applied';
      case 'unfreeze':
        if (!model.owners.has(owner!) || model.frozenByOwnerAt !== about.since) return 'superseded';
        model.frozenByOwnerAt = undefined;
        return 'applied';
      case 'member': {
        const isOwner = model.owners.has(about.member);
        if (about.leaves ? !isOwner || model.owners.size === 1 : isOwner) return 'superseded';
        if (about.leaves) model.owners.delete(about.member);
        else if (voter !== about.member) return 'approved';
        else if (votes.every((each) => !model.owners.has(each))) return 'superseded';
        else model.owners.add(about.member);
        return 'applied';
      }
    }
  }

  #close({ n, by }: StepOf<'close'>): string {
    const approval = this.approvalAt(n);
    if (!approval) return 'nothing';
    const isAgents =
      approval.about.kind === 'operation' || (approval.about.kind === 'policy' && approval.owner === undefined);
    const token = this.tokenOf(by);
    if (!this.#isVisible(approval, by)) return 'NOT_FOUND';
    if (by.is !== 'owner' && !isAgents) return 'NOT_FOUND';
    if (token !== undefined && approval.token !== token) return 'NOT_FOUND';
    const state = this.stateOf(approval);
    if (state !== 'pending' && state !== 'approved') return `APPROVAL_CLOSED ${state}`;
    approval.state = by.is === 'owner' ? 'rejected' : 'withdrawn';
    return approval.state;
  }

  #freeze({ does, by }: StepOf<'freeze'>): string {
    const { model } = this;
    if (by.is !== 'owner') {
      const isChanged = model.isFrozenByOperator !== (does === 'freeze');
      model.isFrozenByOperator = does === 'freeze';
      return `changed ${isChanged}`;
    }
    if (!this.#isOwner(by)) return 'NOT_FOUND';
    const since = model.frozenByOwnerAt;
    if (does === 'freeze') {
      model.frozenByOwnerAt ??= model.now;
      return `changed ${since === undefined}`;
    }
    if (since === undefined) return 'VALIDATION_ERROR';
    return this.#request(
      { kind: 'unfreeze', since },
      by,
      (other) => other.kind === 'unfreeze' && other.since === since,
    );
  }
}

function grant(operation: Operation, value: bigint, now: number, isApproved: boolean): void {
  if (operation.state === 'open') return;
  Object.assign(operation, { state: 'open', value, createdAt: now, isApproved });
}

function changesOf(before: PolicyFields, change: Change) {
  const after = { ...before, ...change };
  const names = Object.keys(before) as (keyof PolicyFields)[];
  const pairs = names.map((name) => [name, [before[name], after[name]] as const] as const);
  return new Map(pairs.filter(([, [one, other]]) => textOf(one) !== textOf(other)));
}

/** Writes values as a text, to compare and to print them. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)) ?? 'undefined';
}
