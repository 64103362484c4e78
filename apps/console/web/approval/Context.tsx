import type { ReactNode } from 'react';
import { nowMs } from '../app/now.js';
import { useAgentData, useAgents } from '../api/queries.js';
import { Skeleton, Term } from '../parts/parts.js';
import { showTime, showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import type { Subject } from './decode-document.js';
import { Outcome } from './Outcome.js';

const WORDS = TEXTS.approval;

interface ContextProps {
  readonly agentId: string;
  readonly about: Subject;
  /** Whether it waits for a decision; what was decided has been counted. */
  readonly isOpen: boolean;
  /** The decision. It comes with the facts, or its buttons would move under the pointer. */
  readonly children: ReactNode;
}

/** Shows facts from other routes, apart from the document: they are not part of what is signed. */
export function Context({ agentId, about, isOpen, children }: ContextProps) {
  const agents = useAgents();
  const ofOperation = about.kind === 'operation' ? agentId : undefined;
  const usage = useAgentData('usage', ofOperation);
  const recipients = useAgentData('recipients', ofOperation);
  if (agents.isLoading || usage.isLoading || recipients.isLoading) return <Skeleton lines={4} />;
  const email = agents.data?.agents.find(({ id }) => id === agentId)?.email ?? undefined;
  const to = about.kind === 'operation' && about.action === 'transfer' ? about.terms.recipient : undefined;
  const hasFacts = email !== undefined || usage.data !== undefined;
  const facts = hasFacts && (
    <aside className="context" aria-labelledby="context-title">
      <h2 id="context-title">{WORDS.context}</h2>
      <dl className="terms">
        {usage.data && about.kind === 'operation' && (
          <Term name={WORDS.leftToday}>
            {leftOf(usage.data.remainingTodayUsd, isOpen ? Number(about.valueUsd) : undefined)}
          </Term>
        )}
        {email !== undefined && (
          <Term name={WORDS.agentName}>
            <bdi>{email}</bdi>
          </Term>
        )}
        {isOpen && to !== undefined && recipients.data && (
          <Term name={WORDS.recipient}>
            {standingOf(recipients.data.recipients.find((each) => each.address === to))}
          </Term>
        )}
      </dl>
      <p className="hint">{WORDS.contextText}</p>
    </aside>
  );
  // What was decided begins with what became of it.
  if (!isOpen && about.kind === 'operation') {
    return (
      <>
        {children}
        <Outcome agentId={agentId} transactionId={about.operation} />
        {facts}
      </>
    );
  }
  return (
    <>
      {facts}
      {children}
    </>
  );
}

function leftOf(left: number, value: number | undefined): string {
  if (value === undefined) return WORDS.leftNow(showUsd(left));
  return WORDS.leftAfter(showUsd(left), showUsd(Math.max(0, left - value)));
}

function standingOf(recipient: { readonly knownAt: string | null } | undefined): string {
  const knownAt = recipient?.knownAt ?? undefined;
  if (knownAt === undefined || Date.parse(knownAt) > nowMs()) return WORDS.isNew;
  return `${WORDS.known}. ${TEXTS.recipients.known} ${showTime(knownAt)}`;
}
