import type { TakenEvent } from './chain.js';
import { objectOf, type SignedDocument } from './document.js';
import { looseningsOf, needsCurve } from './loosening.js';
import type { PolicyField } from './read-event.js';
import type { Finding, NotChecked, Place } from './report.js';

const OWNER = 'owner ';

/** A signed vote that was applied. */
export interface AppliedVote {
  readonly subject: string;
  readonly sequence: number;
  readonly ownerId: string;
  readonly document: SignedDocument;
}

/** A change that took effect, and what a vote for it must be. */
interface Effect extends Place {
  /** Kind of the approval that allows it. */
  readonly kind: 'policy' | 'claim' | 'unfreeze';
  /** The owner, where the event names one. */
  readonly ownerId: string | undefined;
  /** Changed fields of the policy; none for another kind. */
  readonly fields: readonly PolicyField[];
  /** The approval that the change names; empty for none. */
  readonly approvalId: string;
  /** Changed fields that had another value than the change says. */
  readonly differing?: readonly string[];
}

/**
 * Changes that an owner must have signed: of the policy, of the owner, and the end of an owner's freeze. Policy writes such a
 * change before the vote, in one transaction. So each needs a vote after it, and no vote serves two.
 */
export class Effects {
  readonly #effects: Effect[] = [];
  readonly #votes: AppliedVote[] = [];
  /** Agents with an owner so far. */
  readonly #claimed = new Set<string>();
  /** Latest value of each field that was changed, by its agent. */
  readonly #values = new Map<string, Map<string, string>>();

  /** Takes an event, in the order of its chain. */
  add({ subject, eventId, sequence, event: { askedBy, fact } }: TakenEvent): void {
    const place = { subject, eventId, sequence };
    if (fact?.name === 'memberChanged') {
      this.#claimed.add(subject);
      this.#effects.push({ ...place, kind: 'claim', ownerId: fact.value.ownerId, fields: [], approvalId: '' });
    }
    if (fact?.name === 'policyChanged') {
      const { changes: fields, approvalId } = fact.value;
      const differing = this.#replace(subject, fields);
      if (this.#claimed.has(subject) || askedBy.startsWith(OWNER)) {
        this.#effects.push({ ...place, kind: 'policy', ownerId: ownerOf(askedBy), fields, approvalId, differing });
      }
    }
    if (fact?.name === 'operatorActed' && fact.value.action === 'unfreeze' && ownerOf(fact.value.operator)) {
      this.#effects.push({
        ...place,
        kind: 'unfreeze',
        ownerId: ownerOf(fact.value.operator),
        fields: [],
        approvalId: '',
      });
    }
  }

  /** Takes a vote without a problem that was applied. */
  allow(vote: AppliedVote): void {
    this.#votes.push(vote);
  }

  /** Lists changes without a vote. An owner and an agent may tighten a policy without one. */
  finish(): { readonly findings: readonly Finding[]; readonly notChecked: readonly NotChecked[] } {
    const unused = new Set(this.#votes);
    const notChecked = new Set<NotChecked>();
    const differing = this.#effects.flatMap(({ subject, eventId, sequence, differing: fields = [] }): Finding[] =>
      fields.length > 0 ? [{ code: 'policy_differs', subject, eventId, sequence, fields }] : [],
    );
    const findings = this.#effects.map((effect) => {
      const vote = [...unused].find((each) => allows(each, effect));
      if (vote) {
        unused.delete(vote);
        return undefined;
      }
      if (effect.approvalId === '' && effect.fields.some(needsCurve)) notChecked.add('recipients_on_curve');
      return findingOf(effect);
    });
    const unsigned = findings.filter((finding) => finding !== undefined);
    return { findings: [...unsigned, ...differing], notChecked: [...notChecked] };
  }

  /** Sets fields of a policy. @returns those that had another value than the change says */
  #replace(subject: string, fields: readonly PolicyField[]): string[] {
    const values = this.#values.get(subject) ?? new Map<string, string>();
    this.#values.set(subject, values);
    const differing = fields.filter(({ field, before }) => (values.get(field) ?? before) !== before);
    for (const { field, after } of fields) values.set(field, after);
    return differing.map(({ field }) => field);
  }
}

function ownerOf(text: string): string | undefined {
  return text.startsWith(OWNER) ? text.slice(OWNER.length) : undefined;
}

function allows(vote: AppliedVote, effect: Effect): boolean {
  const { document } = vote;
  if (document.kind !== effect.kind || vote.subject !== effect.subject || vote.sequence < effect.sequence) return false;
  if (effect.ownerId !== undefined && effect.ownerId !== vote.ownerId) return false;
  if (effect.approvalId !== '' && effect.approvalId !== document.id) return false;
  const changes = objectOf(document.terms.changes);
  return effect.fields.every(({ field, before, after }) => {
    const signed = objectOf(changes[field]);
    return isShown(signed.before, before) && isShown(signed.after, after);
  });
}

/** Compares a value of a document with its JSON text in an event: words are in quotes there, other texts are not. */
function isShown(value: unknown, text: string): boolean {
  return value === text || JSON.stringify(value) === text;
}

function findingOf({
  kind,
  subject,
  eventId,
  sequence,
  ownerId = '',
  fields,
  approvalId,
}: Effect): Finding | undefined {
  const place = { subject, eventId, sequence };
  if (kind === 'claim') return { code: 'owner_unsigned', ...place, ownerId };
  if (kind === 'unfreeze') return { code: 'unfreeze_unsigned', ...place, ownerId };
  // What names an approval needs it, also where it tightens.
  const loosened = approvalId === '' ? looseningsOf(fields) : fields.map(({ field }) => field);
  return loosened.length > 0 ? { code: 'policy_unsigned', ...place, fields: loosened } : undefined;
}
