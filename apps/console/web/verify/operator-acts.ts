import { type ApprovalRequested, type OperatorActed, parseDocument, type SignedDocument } from '@agent-wallet/audit';
import type { ActProblem, DelayedAct, Finding, Place, TakenEvent } from './report.js';

const HOUR_MS = 3_600_000;
/** Replicas write times by clocks of their own. */
const CLOCKS_MS = 60_000;
/** Time in which owners can prevent an act, in Unix milliseconds. */
export const DELAY_MS = 72 * HOUR_MS - CLOCKS_MS;

/** An event with its time in Unix milliseconds. */
interface Timed extends Place {
  readonly atMs: number;
}

interface Request extends Timed {
  readonly request: ApprovalRequested;
}

interface Act extends Timed {
  readonly acted: Pick<OperatorActed, 'operator' | 'action'> & { readonly approvalId: string };
}

/** The end of an approval without a signature, or some time after it. */
export interface End extends Timed {
  readonly approvalId: string;
  readonly state: string;
}

/** An act that took effect after its time, with nothing against it. */
export interface CarriedOut {
  readonly act: DelayedAct;
  readonly document: SignedDocument;
  /** Event of the act itself. */
  readonly sequence: number;
  /** Event of its request. */
  readonly requested: number;
  /** The earliest time at which it may take effect, in Unix milliseconds. */
  readonly notBeforeMs: number;
}

/** State of an approval before its end. */
export type Earlier = 'decided_before' | 'closed_before' | undefined;

/** Acts of operators that owners can prevent for 72 hours: releases, ends of owners' freezes, and recoveries. */
export class OperatorActs {
  readonly #requests = new Map<string, Request>();
  readonly #recoveries: Act[] = [];
  /** Acts against owners whose approval has not ended. */
  readonly #open = new Set<Act>();

  /** @param origin of the console, which every document must name */
  constructor(private readonly origin: string) {}

  /** Takes an event, in the order of its chain. */
  add({ subject, eventId, sequence, event: { occurredAtMs, fact } }: TakenEvent): void {
    const place = { subject, eventId, sequence, atMs: Number(occurredAtMs) };
    if (fact?.$case === 'approvalRequested') {
      const key = keyOf(subject, fact.value.approvalId);
      if (!this.#requests.has(key)) this.#requests.set(key, { ...place, request: fact.value });
    }
    if (fact?.$case !== 'operatorActed') return;
    const { operator, action, approvalId = '' } = fact.value;
    const act = { ...place, acted: { operator, action, approvalId } };
    if (action === 'confirm_recovery') this.#recoveries.push(act);
    // Without an approval it is the end of the operator's own freeze.
    if (action === 'release' || (action === 'unfreeze' && approvalId !== '')) this.#open.add(act);
  }

  /** Checks the act that took effect with the end of an approval; undefined where none did. */
  end(end: End, earlier: Earlier): CarriedOut | Finding | undefined {
    if (end.state === 'expired') return this.#overrule(end, earlier);
    return end.state === 'applied' ? this.#recover(end, earlier) : undefined;
  }

  /** Lists acts against owners with which no approval ended. */
  unended(): Finding[] {
    return [...this.#open].map((act) => findingOf(act, act.acted, 'not_ended'));
  }

  #overrule(end: End, earlier: Earlier): CarriedOut | Finding | undefined {
    const act = [...this.#open].findLast((each) => isBefore(each, each.acted.approvalId, end));
    if (!act) return undefined;
    this.#open.delete(act);
    const { acted } = act;
    const request = this.#requests.get(keyOf(end.subject, end.approvalId));
    if (!request || request.sequence > act.sequence) return findingOf(act, acted, 'no_request');
    const document = this.#documentOf(request, 'objection');
    const isAsked = document?.terms.act === acted.action && document.terms.operator === acted.operator;
    if (!isAsked || document.agent !== end.subject) return findingOf(act, acted, 'other_request');
    if (earlier) return findingOf(act, acted, earlier === 'decided_before' ? 'objected' : earlier);
    const notBeforeMs = request.atMs + DELAY_MS;
    if (Math.min(act.atMs, end.atMs) < notBeforeMs) return findingOf(act, acted, 'too_early');
    return { act: nameOf(acted), document, sequence: act.sequence, requested: request.sequence, notBeforeMs };
  }

  #recover(end: End, earlier: Earlier): CarriedOut | Finding | undefined {
    const { subject, approvalId } = end;
    const request = this.#requests.get(keyOf(subject, approvalId));
    const document = request && this.#documentOf(request, 'recovery');
    if (!document || document.agent !== undefined || document.owner !== subject) return undefined;
    const recovery = { action: 'confirm_recovery', approvalId };
    if (earlier) return findingOf(end, recovery, earlier);
    const act = this.#recoveries.find((each) => isBefore(each, each.acted.approvalId, end));
    if (!act || act.sequence < request.sequence) return findingOf(end, recovery, 'not_confirmed');
    const notBeforeMs = act.atMs + DELAY_MS;
    if (end.atMs < notBeforeMs) return findingOf(end, recovery, 'too_early');
    return { act: 'confirm_recovery', document, sequence: end.sequence, requested: request.sequence, notBeforeMs };
  }

  #documentOf({ request }: Request, kind: string): SignedDocument | undefined {
    const document = parseDocument(request.document);
    const isIt = document?.kind === kind && document.id === request.approvalId && document.origin === this.origin;
    return isIt ? document : undefined;
  }
}

function keyOf(subject: string, approvalId: string): string {
  return `${subject} ${approvalId}`;
}

function isBefore({ subject, sequence }: Place, approvalId: string, end: End): boolean {
  return subject === end.subject && approvalId === end.approvalId && sequence < end.sequence;
}

function nameOf({ action }: Pick<OperatorActed, 'action'>): DelayedAct {
  return action === 'release' || action === 'unfreeze' ? action : 'confirm_recovery';
}

function findingOf(
  { subject, eventId, sequence }: Place,
  acted: Pick<Act['acted'], 'action' | 'approvalId'>,
  what: ActProblem,
): Finding {
  return {
    code: 'act_invalid',
    ...{ subject, eventId, sequence },
    ...{ act: nameOf(acted), approvalId: acted.approvalId, what },
  };
}
