import { APPROVABLE_ACTIONS } from '@agent-wallet/events';
import { z } from 'zod';
import { queryInteger } from './fields.js';
import { approvalReasons } from './policy-records.js';
import { count, growing, hours, time, usd, uuid } from './units.js';

/** Names of states in a request. */
export const APPROVAL_STATES = [
  ...(['pending', 'applied', 'rejected', 'withdrawn', 'expired', 'superseded'] as const),
  ...(['approved', 'used', 'void'] as const),
] as const;

const shown = z.union([z.string(), z.array(z.string())]);

const changeRecord = z
  .strictObject({ field: z.string(), before: shown, after: shown })
  .meta({ id: 'ApprovalChange', description: 'A field of a policy before and after.' });

/** Every term is text, as in the document. */
const termsRecord = z
  .record(z.string(), z.string())
  .meta({ id: 'ApprovalTerms', description: 'What an operation does, by name, as text. Amounts are base units.' });

const subjectRecord = z
  .strictObject({
    transactionId: uuid().nullable().meta({ description: 'The operation that waits; null for what is none.' }),
    action: growing('ApprovedAction', APPROVABLE_ACTIONS, 'An action that may wait for an owner.')()
      .nullable()
      .meta({ description: 'What the operation does; null for what is none.' }),
    valueUsd: usd().nullable().meta({ description: 'What an operation counts.' }),
    reasons: approvalReasons(),
    terms: termsRecord
      .nullable()
      .meta({ description: 'Of an operation, an objection, a recovery, a member or a token.' }),
    changes: z.array(changeRecord).meta({ description: 'Of a change of the policy.' }),
    note: z.string().nullable().meta({ description: 'Why, as the agent says.' }),
    keepSessions: z.boolean().nullable().meta({ description: 'Of a claim: whether the sessions of the agent go on.' }),
    delayHours: hours().nullable().meta({ description: 'Of a claim: hours from its signature until it takes effect.' }),
  })
  .meta({ id: 'ApprovalSubject', description: 'What an approval is about, read from its document.' });

const approvalRecord = z
  .strictObject({
    id: uuid(),
    kind: growing(
      'ApprovalKind',
      ['claim', 'policy', 'passkey', 'unfreeze', 'operation', 'objection', 'recovery', 'member', 'token'],
      'What an approval is about. `objection`: an operator overrules the owners when it expires, unless one signs it.',
    )(),
    subject: subjectRecord,
    state: growing(
      'ApprovalState',
      APPROVAL_STATES,
      'What became of an approval. `superseded`: what it is about had changed before it was signed; it has no effect. ' +
        'Of an operation: `approved` is signed, `used` reserved its value. `void`: policy refused it, its signer is ' +
        'no longer an owner, or all sessions of the agent ended. Of a claim: `approved` takes effect at `effectiveAt`.',
    )(),
    agentId: uuid().nullable().meta({ description: 'Null for what concerns an owner alone.' }),
    votes: count('Signatures so far.'),
    threshold: count('Signatures that it takes.'),
    askedAt: time(),
    expiresAt: time('Until when it can be decided, and used.'),
    decidedAt: time().nullable(),
    effectiveAt: time()
      .nullable()
      .meta({ description: 'When a signed claim or a confirmed recovery takes effect; null where that is at once.' }),
  })
  .meta({ id: 'Approval', description: 'A change or an operation that needs a signature of the owner.' });

export const approvalResult = z.strictObject({ approval: approvalRecord }).meta({ id: 'ApprovalResult' });

export const approvalDetailsResult = z
  .strictObject({
    approval: approvalRecord,
    document: z.string().meta({ description: 'What is signed, to the byte: JSON of what changes, from and to.' }),
  })
  .meta({ id: 'ApprovalDetails' });

export const approvalPage = z
  .strictObject({
    approvals: z.array(approvalRecord),
    nextCursor: z.string().nullable().meta({ description: 'Of the next page; null on the last.' }),
  })
  .meta({ id: 'ApprovalPage', description: 'The latest first.' });

/** Returns the query of a list of approvals; all states without one. */
export const approvalQuery = (cursor: z.ZodType<string>) =>
  z.strictObject({
    state: z
      .enum(APPROVAL_STATES, `must be one of ${APPROVAL_STATES.join(', ')}`)
      .optional()
      .meta({ description: 'Only those in this state.' }),
    limit: queryInteger({ min: 1, max: 100, default: 20 }, 'Approvals in a page.'),
    cursor,
  });

export const approvalParams = z.strictObject({ approvalId: z.string().meta({ description: 'The approval.' }) });

/** An example for the documents. */
export const APPROVAL_EXAMPLE = {
  id: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f',
  kind: 'policy',
  subject: {
    ...{
      transactionId: null,
      action: null,
      valueUsd: null,
      reasons: [],
      terms: null,
      keepSessions: null,
      delayHours: null,
    },
    changes: [{ field: 'dailyLimitInUsd', before: '500', after: '900' }],
    note: 'Rent is due.',
  },
  state: 'pending',
  agentId: '01938f6e-0000-7cc3-98c4-dc0c0c07398f',
  votes: 0,
  threshold: 1,
  askedAt: '2026-11-21T10:02:00.000Z',
  expiresAt: '2026-11-22T10:02:00.000Z',
  decidedAt: null,
  effectiveAt: null,
} as const;
