import { isLoosened, type MemberChanged, objectOf, type PolicyField, type SignedDocument } from '@agent-wallet/audit';
import type { Finding, Place, TakenEvent } from './report.js';

const OWNER = 'owner ';

/** A signed vote that was applied. */
export interface AppliedVote {
  readonly subject: string;
  readonly sequence: number;
  readonly ownerId: string;
  readonly document: SignedDocument;
}

/** An operator's release of an agent, which is valid. */
export interface Release {
  readonly subject: string;
  /** Event of the act: the owners were removed before it. */
  readonly sequence: number;
  /** Event of its request. */
  readonly requested: number;
  /** The earliest time at which it may take effect, in Unix milliseconds. */
  readonly notBeforeMs: number;
}

/** A change that took effect, and what a vote for it must be. */
interface Effect extends Place {
  /** Kind of the approval that allows it; a vote of kind `member` allows a `claim`, too, and a `removal`. */
  readonly kind: 'policy' | 'claim' | 'removal' | 'unfreeze';
  /** Unix milliseconds. */
  readonly atMs: number;
  /** The owner, where the event names one. */
  readonly ownerId: string | undefined;
  /** Changed fields of the policy; none for another kind. */
  readonly fields: readonly PolicyField[];
  /** The approval that the change names; empty for none. */
  readonly approvalId: string;
  /** Changed fields that had another value than the change says. */
  readonly differing?: readonly string[];
  /** The removal of the last owner before a change of policy: with a release, the change needs no signature. */
  readonly freedBy?: Effect | undefined;
}

/** The owners of an agent so far, and the removal of the last one. */
interface Owned {
  readonly owners: Set<string>;
  freedBy: Effect | undefined;
}

/** Action in a document of kind `member`, by the effect that it allows. */
const MEMBER_ACTIONS: Readonly<Partial<Record<Effect['kind'], string>>> = { claim: 'add', removal: 'remove' };

/**
 * Changes that an owner must have signed: of the policy, of the owners, and the end of an owner's freeze. Policy writes such a
 * change before the vote, in one transaction. So each needs a vote after it, and no vote serves two. Owners are removed by a
 * release of the operator, too.
 */
export class Effects {
  readonly #effects: Effect[] = [];
  readonly #votes: AppliedVote[] = [];
  readonly #releases: Release[] = [];
  /** Agents that have, or had, an owner so far. */
  readonly #owned = new Map<string, Owned>();
  /** Latest value of each field that was changed, by its agent. */
  readonly #values = new Map<string, Map<string, string>>();

  /** Takes an event, in the order of its chain. */
  add({ subject, eventId, sequence, event: { askedBy = '', occurredAtMs, fact } }: TakenEvent): void {
    const place = { subject, eventId, sequence, atMs: Number(occurredAtMs) };
    if (fact?.$case === 'memberChanged') this.#changeOwner(place, fact.value);
    if (fact?.$case === 'policyChanged') {
      const { changes: fields, approvalId = '' } = fact.value;
      const differing = this.#replace(subject, fields);
      const [owned, ownerId] = [this.#owned.get(subject), ownerOf(askedBy)];
      if (owned || ownerId !== undefined) {
        const freedBy = ownerId === undefined && approvalId === '' ? owned?.freedBy : undefined;
        this.#effects.push({ ...place, kind: 'policy', ownerId, fields, approvalId, differing, freedBy });
      }
    }
    if (fact?.$case === 'operatorActed' && fact.value.action === 'unfreeze' && ownerOf(fact.value.operator)) {
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

  /** Takes a release without a problem. */
  release(release: Release): void {
    this.#releases.push(release);
  }

  /** Lists changes without a vote. An owner and an agent may tighten a policy without one. */
  finish(): Finding[] {
    const unused = new Set(this.#votes);
    const released = new Set(this.#effects.filter((effect) => this.#releases.some((each) => releases(each, effect))));
    const differing = this.#effects.flatMap(({ subject, eventId, sequence, differing: fields = [] }): Finding[] =>
      fields.length > 0 ? [{ code: 'policy_differs', subject, eventId, sequence, fields }] : [],
    );
    const findings = this.#effects.map((effect) => {
      if (effect.freedBy && released.has(effect.freedBy)) return undefined;
      const vote = [...unused].find((each) => allows(each, effect));
      if (vote) {
        unused.delete(vote);
        return undefined;
      }
      if (released.has(effect)) return undefined;
      return findingOf(effect);
    });
    const unsigned = findings.filter((finding) => finding !== undefined);
    return [...unsigned, ...differing];
  }

  #changeOwner(place: Place & { readonly atMs: number }, { ownerId, action }: MemberChanged): void {
    if (action === 'invited') return;
    const { subject } = place;
    const kind = action === 'removed' ? 'removal' : 'claim';
    const effect: Effect = { ...place, kind, ownerId, fields: [], approvalId: '' };
    this.#effects.push(effect);
    const owned = this.#owned.get(subject) ?? { owners: new Set(), freedBy: undefined };
    this.#owned.set(subject, owned);
    if (kind === 'removal') owned.owners.delete(ownerId);
    else owned.owners.add(ownerId);
    owned.freedBy = owned.owners.size === 0 ? effect : undefined;
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
  if (!isAbout(vote, effect) || vote.subject !== effect.subject || vote.sequence < effect.sequence) return false;
  if (effect.approvalId !== '' && effect.approvalId !== document.id) return false;
  const changes = objectOf(document.terms.changes);
  return effect.fields.every(({ field, before, after }) => {
    const signed = objectOf(changes[field]);
    return isShown(signed.before, before) && isShown(signed.after, after);
  });
}

function isAbout({ document: { kind, terms }, ownerId }: AppliedVote, effect: Effect): boolean {
  if (kind === 'member') return terms.action === MEMBER_ACTIONS[effect.kind] && terms.member === effect.ownerId;
  return kind === effect.kind && (effect.ownerId === undefined || effect.ownerId === ownerId);
}

function releases({ subject, sequence, requested, notBeforeMs }: Release, effect: Effect): boolean {
  if (effect.kind !== 'removal' || effect.subject !== subject || effect.atMs < notBeforeMs) return false;
  return requested < effect.sequence && effect.sequence < sequence;
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
  if (kind === 'removal') return { code: 'owner_removed_unsigned', ...place, ownerId };
  if (kind === 'unfreeze') return { code: 'unfreeze_unsigned', ...place, ownerId };
  // What names an approval needs it, also where it tightens.
  const needing = fields.filter(({ field, before, after }) => approvalId !== '' || isLoosened(field, before, after));
  if (needing.length === 0) return undefined;
  return { code: 'policy_unsigned', ...place, fields: needing.map(({ field }) => field) };
}
