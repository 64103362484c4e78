import { Address, Quoted, Term } from '../parts/parts.js';
import { nowMs } from '../app/now.js';
import { showExactUsd, showTime, showUntil } from '../parts/show.js';
import { tokenLimits } from '../parts/token-limits.js';
import { policyWords } from '../policy/policy-words.js';
import { TEXTS } from '../texts.js';
import type { DecodedDocument, ShownChange, Subject as About } from './decode-document.js';
import { OperationSummary, OperationTerms } from './Operation.js';

/** Returns the title of what is asked. */
export function titleOf(about: About): string {
  const { titles } = TEXTS.approval;
  switch (about.kind) {
    case 'operation':
      return titles[about.action];
    case 'passkey':
      return about.action === 'add' ? titles.addPasskey : titles.removePasskey;
    case 'member':
      return about.action === 'add' ? titles.addOwner : titles.removeOwner;
    case 'objection':
      return titles[about.act];
    default:
      return titles[about.kind];
  }
}

interface SubjectProps {
  readonly document: DecodedDocument;
  /** Whether it waits for a decision. */
  readonly isOpen: boolean;
}

/** Shows a document: only what its bytes say. What decides comes first; the rest is one press away. */
export function Subject({ document, isOpen }: SubjectProps) {
  const { about, expiresAt } = document;
  return (
    <>
      {about.kind === 'operation' ? <OperationSummary operation={about} isOpen={isOpen} /> : <Terms about={about} />}
      <dl className="terms">
        <Term name={about.kind === 'objection' ? TEXTS.approval.effectAt : TEXTS.approval.expiresAt}>
          {isOpen ? TEXTS.approvals.untilTime(showTime(expiresAt), showUntil(expiresAt, nowMs())) : showTime(expiresAt)}
        </Term>
      </dl>
      <details>
        <summary>{TEXTS.approval.allSigned}</summary>
        <Rest document={document} />
      </details>
    </>
  );
}

function Rest({ document: { about, agent, session, askedAt } }: Pick<SubjectProps, 'document'>) {
  return (
    <dl className="terms">
      {about.kind === 'operation' && <OperationTerms operation={about} />}
      {agent !== undefined && (
        <Term name={TEXTS.approval.agent}>
          <code>{agent}</code>
        </Term>
      )}
      {session && <Term name={TEXTS.approval.session}>{showTime(session.loggedInAt)}</Term>}
      {session?.network !== undefined && (
        <Term name={TEXTS.approval.sessionNetwork}>
          <Quoted text={session.network} />
        </Term>
      )}
      <Term name={TEXTS.approval.askedAt}>{showTime(askedAt)}</Term>
    </dl>
  );
}

function Terms({ about }: { readonly about: Exclude<About, { kind: 'operation' }> }) {
  switch (about.kind) {
    case 'claim':
      return <Claim {...about} />;
    case 'policy':
      return <PolicyChange {...about} />;
    case 'unfreeze':
      return <Unfreeze {...about} />;
    case 'passkey':
      return <Passkey {...about} />;
    case 'objection':
      return <Objection {...about} />;
    case 'recovery':
      return <Recovery {...about} />;
    case 'member':
      return <Member {...about} />;
    case 'token':
      return <Token {...about} />;
  }
}

function Objection({ act, operator, reason, frozenSince }: Extract<About, { kind: 'objection' }>) {
  return (
    <>
      <p>{TEXTS.approval.objectionTexts[act]}</p>
      <dl className="terms">
        <Term name={TEXTS.approval.operator}>
          <Quoted text={operator} />
        </Term>
        <Term name={TEXTS.approval.reason}>
          <Quoted text={reason} />
        </Term>
        {frozenSince !== undefined && <Term name={TEXTS.approval.frozenSince}>{showTime(frozenSince)}</Term>}
      </dl>
    </>
  );
}

function Recovery({ credentialId }: Extract<About, { kind: 'recovery' }>) {
  return (
    <>
      <dl className="terms">
        <Term name={TEXTS.approval.credential}>
          <code>{credentialId}</code>
        </Term>
      </dl>
    </>
  );
}

function Member({ action, member, email }: Extract<About, { kind: 'member' }>) {
  return (
    <>
      <p>{action === 'add' ? TEXTS.approval.joinText : TEXTS.approval.leaveText}</p>
      <dl className="terms">
        <Term name={TEXTS.approval.person}>
          <Quoted text={email} />
        </Term>
        <Term name={TEXTS.approval.ownerId}>
          <code>{member}</code>
        </Term>
      </dl>
    </>
  );
}

function Token({
  name,
  scopes,
  recipients,
  maxSingleUsd,
  dailyUsd,
  totalUsd,
  expiresAt,
}: Extract<About, { kind: 'token' }>) {
  const words = TEXTS.tokens;
  const shown = (limit: string | undefined) => (limit === undefined ? undefined : showExactUsd(limit));
  const limits = tokenLimits({ single: shown(maxSingleUsd), daily: shown(dailyUsd), total: shown(totalUsd) });
  return (
    <>
      <p>{TEXTS.approval.tokenText}</p>
      <dl className="terms">
        <Term name={words.name}>
          <Quoted text={name} />
        </Term>
        <Term name={words.scopes}>{scopes.map((scope) => words.scope[scope]).join(', ')}</Term>
        <Term name={words.limits}>{limits.join(', ')}</Term>
        {recipients?.map((address) => (
          <Term key={address} name={words.recipients}>
            <Address address={address} />
          </Term>
        ))}
        <Term name={words.expires}>{showTime(expiresAt)}</Term>
      </dl>
    </>
  );
}

function Claim({ wallet, email, policy, keepsSessions, delayHours }: Extract<About, { kind: 'claim' }>) {
  return (
    <>
      <p>{TEXTS.approval.claimText}</p>
      <dl className="terms">
        <Term name={TEXTS.approval.mailbox}>
          <Quoted text={email} />
        </Term>
        <Term name={TEXTS.approval.agentWallet}>
          <Address address={wallet} />
        </Term>
        {policy.map(({ field, after }) => (
          <Term key={field} name={TEXTS.limits.fields[field].label}>
            {policyWords(field, after)}
          </Term>
        ))}
      </dl>
      <p>{keepsSessions ? TEXTS.approval.keepSessions : TEXTS.approval.endSessions}</p>
      <p>{delayHours === 0 ? TEXTS.approval.claimAtOnce : TEXTS.approval.claimLater(delayHours)}</p>
    </>
  );
}

function PolicyChange({ proposer, changes, note }: Extract<About, { kind: 'policy' }>) {
  return (
    <>
      <p>{TEXTS.approval.proposer[proposer]}</p>
      <dl className="terms">
        {changes.map((change) => (
          <Change key={change.field} {...change} />
        ))}
        {note !== '' && (
          <Term name={proposer === 'agent' ? TEXTS.approval.note : TEXTS.approval.ownNote}>
            <Quoted text={note} />
          </Term>
        )}
      </dl>
    </>
  );
}

function Change({ field, before, after }: ShownChange) {
  return (
    <Term name={TEXTS.limits.fields[field].label}>
      <span className="change">
        {TEXTS.limits.from} <s>{policyWords(field, before)}</s> {TEXTS.limits.to}{' '}
        <strong>{policyWords(field, after)}</strong>
      </span>
    </Term>
  );
}

function Unfreeze({ frozenSince }: Extract<About, { kind: 'unfreeze' }>) {
  return (
    <>
      <p>{TEXTS.approval.unfreezeText}</p>
      <dl className="terms">
        <Term name={TEXTS.approval.frozenSince}>{showTime(frozenSince)}</Term>
      </dl>
    </>
  );
}

function Passkey({ action, credentialId }: Extract<About, { kind: 'passkey' }>) {
  return (
    <>
      <p>{action === 'add' ? TEXTS.approval.addText : TEXTS.approval.removeText}</p>
      <dl className="terms">
        <Term name={TEXTS.approval.credential}>
          <code>{credentialId}</code>
        </Term>
      </dl>
    </>
  );
}
