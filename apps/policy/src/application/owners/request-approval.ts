import { AppError, notFound } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import type { Approval } from '../../domain/owners/approval.js';
import {
  type ApprovalTerms,
  areSameChanges,
  type AskingSession,
  termsOf,
  versionOf,
} from '../../domain/owners/document.js';
import {
  changed,
  isSameShown,
  type Policy,
  type PolicyChange,
  policyProblems,
  shownPolicy,
  type VersionedPolicy,
} from '../../domain/policy.js';
import type { ApprovalStore, KnownWhenRequested } from '../../ports/approval-store.js';
import { newApproval } from './new-approval.js';
import { configured, type OwnerConsole } from './owner-console.js';

const MAX_NOTE_CHARACTERS = 256;

/** A claim of an agent. */
export interface Claim {
  readonly agentId: string;
  readonly ownerId: string;
  /** Whether the agent's sessions go on after the claim. */
  readonly keepsSessions: boolean;
  /** Whether its wallet is seen to hold nothing. */
  readonly holdsNothing: boolean;
  /** Base58 address of its wallet. */
  readonly wallet: string;
  /** Its mailbox. */
  readonly email: string;
}

/** Age up to which a claim of an agent that holds nothing takes effect at once. */
const NEW_AGENT_MS = 3_600_000;
/** Time in which such a claim can be signed: later the agent may hold something. */
const NEW_CLAIM_MS = 600_000;

/** Asks for the approval by which an owner claims an agent. */
export class RequestClaim {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * Requests a claim. The caller must prove that the owner also has the agent's mailbox.
   * @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, VALIDATION_ERROR, APPROVAL_CLOSED, POLICY_VIOLATION
   */
  execute({ agentId, ownerId, keepsSessions, holdsNothing, wallet, email }: Claim): Promise<Approval> {
    const { origin, claimDelayHours } = configured(this.console);
    return this.approvals.request({ kind: 'claim', agentId, ownerId }, (known) => {
      const policy = policyIn(known);
      if (policy.isClaimed) throw alreadyClaimed();
      if (known.passkeys.length === 0) throw AppError.field('ownerId', 'has no passkey. Register one first.');
      const { createdAtMs, namedOwnerId } = known.claimed!;
      if (namedOwnerId !== undefined && namedOwnerId !== ownerId) throw namedAnother();
      const isNew = holdsNothing && known.nowMs < createdAtMs + NEW_AGENT_MS;
      const delayHours = isNew || namedOwnerId === ownerId ? 0 : claimDelayHours;
      const terms = {
        wallet,
        email,
        policy: shownPolicy(policy),
        keepSessions: keepsSessions ? 'true' : 'false',
        delayHours: String(delayHours),
      } as const;
      // Strangers may ask, too, and the policy may change after each request: neither keeps this owner out.
      const pending = known.pending.filter(
        (each) => each.ownerId === ownerId && versionOf(each.document) === policy.version,
      );
      const same = pending.find(({ document }) => {
        const other = termsOf('claim', document);
        return other.keepSessions === terms.keepSessions && other.delayHours === terms.delayHours;
      });
      const wanted = { origin, agentId, ownerId, about: { kind: 'claim', terms } } as const;
      return same ?? newApproval({ ...known, pending }, isNew ? { ...wanted, lifetimeMs: NEW_CLAIM_MS } : wanted);
    });
  }
}

function namedAnother(): AppError {
  return new AppError('POLICY_VIOLATION', {
    message: 'The agent named its owner at its first login. Only that address can claim it.',
    data: { rule: 'named_owner', suggestion: 'Log in as an owner with the address that the agent named.' },
  });
}

function alreadyClaimed(): AppError {
  const message = 'The agent has an owner already. Ask that owner.';
  return new AppError('APPROVAL_CLOSED', { message, data: { state: 'superseded' } });
}

/** A change of a policy that is to be approved. */
export interface Proposal {
  readonly agentId: string;
  /** The owner who proposes it; undefined when the agent does. */
  readonly ownerId: string | undefined;
  readonly change: PolicyChange;
  readonly note: string;
  /** The agent's session that proposes it, where that is known. */
  readonly session?: AskingSession | undefined;
}

/** Asks for the approval of a policy change. */
export class ProposePolicyChange {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * Requests a change of the policy, but not twice while an equal one of the same proposer is pending.
   * @throws AppError OWNERS_NOT_CONFIGURED, VALIDATION_ERROR, NOT_FOUND, POLICY_VIOLATION, AUTHENTICATION_ERROR for a session that
   *   has ended meanwhile
   */
  execute({ agentId, ownerId, change, note, session }: Proposal): Promise<Approval> {
    const { origin } = configured(this.console);
    const problems = policyProblems(change, isAddress);
    if (problems.length > 0) throw AppError.fields(problems);
    if (note.length > MAX_NOTE_CHARACTERS) {
      throw AppError.field('note', `must have at most ${MAX_NOTE_CHARACTERS} characters`, 'too_long');
    }
    return this.approvals.request({ kind: 'policy', agentId, ownerId, session }, (known) => {
      const policy = policyIn(known);
      if (known.isEvicted) throw new AppError('AUTHENTICATION_ERROR', { data: { reason: 'revoked' } });
      const [firstOwner] = known.owners;
      if (ownerId !== undefined && !known.owners.includes(ownerId)) throw notFound('agent', 'Check its id.');
      if (firstOwner === undefined) {
        throw new AppError('VALIDATION_ERROR', {
          message: 'This agent has no owner. Change its policy with a session of the agent, or let an owner claim it.',
          details: [{ field: 'changes', reason: 'needs an owner, and the agent has none', problem: 'out_of_range' }],
        });
      }
      const changes = changesOf(policy, changed(policy, change));
      if (Object.keys(changes).length === 0) throw AppError.field('changes', 'must change a field of the policy');
      const proposer = ownerId === undefined ? 'agent' : 'owner';
      const about = { kind: 'policy', terms: { proposer, changes, note: note || undefined } } as const;
      // An agent that fills its own cap must not keep its owner from proposing.
      const pending = known.pending.filter(({ document }) => termsOf('policy', document).proposer === proposer);
      return (
        pending.find(({ document }) => areSameChanges(termsOf('policy', document).changes, changes)) ??
        newApproval({ ...known, pending }, { origin, agentId, ownerId: ownerId ?? firstOwner, about, session })
      );
    });
  }
}

function changesOf(before: Policy, after: Policy): ApprovalTerms['policy']['changes'] {
  const shownBefore = shownPolicy(before);
  const pairs = Object.entries(shownPolicy(after)).map(
    ([field, value]) => [field, { before: shownBefore[field]!, after: value }] as const,
  );
  return Object.fromEntries(pairs.filter(([, pair]) => !isSameShown(pair.before, pair.after)));
}

function policyIn({ policy }: KnownWhenRequested): VersionedPolicy {
  if (!policy) throw notFound('policy', 'The first login of the agent creates it.');
  return policy;
}
