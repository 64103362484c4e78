import { Link } from 'wouter';
import type { Approval } from '../api/records.js';
import { useAgents, useApprovals } from '../api/queries.js';
import { Empty, ErrorNotice, Loaded, useTitle } from '../parts/parts.js';
import { nowMs } from '../app/now.js';
import { showTime, showUntil } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { byAgent } from './reject-all.js';
import { requestLine } from './request-line.js';
import { RejectAll } from './RejectAll.js';

const WORDS = TEXTS.approvals;

/** Lists approvals, the pending ones first. */
export default function ApprovalsPage() {
  useTitle(WORDS.title);
  const pending = useApprovals('pending');
  const all = useApprovals();
  return (
    <>
      <h1>{WORDS.title}</h1>
      <section aria-labelledby="pending">
        <h2 id="pending">{WORDS.pending}</h2>
        <Loaded query={pending}>
          {({ approvals }) =>
            approvals.length > 0 ? (
              <ApprovalList approvals={approvals} />
            ) : (
              <Empty title={WORDS.none}>
                <p>{WORDS.noneText}</p>
              </Empty>
            )
          }
        </Loaded>
        <RejectAllOfEach approvals={pending.data?.approvals ?? []} />
      </section>
      {all.isError && <ErrorNotice error={all.error} retry={() => void all.refetch()} />}
      {all.data && <Decided approvals={all.data.approvals.filter(({ state }) => state !== 'pending')} />}
      {all.hasNextPage && (
        <button type="button" className="quiet" disabled={all.isFetching} onClick={() => void all.fetchNextPage()}>
          {WORDS.more}
        </button>
      )}
    </>
  );
}

/** Offers to reject all that waits, for each agent. An agent stays until the page is left, with what was not rejected. */
function RejectAllOfEach({ approvals }: { readonly approvals: readonly Approval[] }) {
  const agents = useAgents();
  const waiting = new Map(byAgent(approvals));
  return agents.data?.agents.map(({ id, email }) => (
    <RejectAll
      key={id}
      name={email ?? TEXTS.agents.unnamed}
      approvalIds={(waiting.get(id) ?? []).map((approval) => approval.id)}
    />
  ));
}

function Decided({ approvals }: { readonly approvals: readonly Approval[] }) {
  if (approvals.length === 0) return null;
  return (
    <section aria-labelledby="decided">
      <h2 id="decided">{WORDS.decided}</h2>
      <ApprovalList approvals={approvals} />
    </section>
  );
}

/** Lists approvals as links. */
export function ApprovalList({ approvals }: { readonly approvals: readonly Approval[] }) {
  const agents = useAgents();
  return (
    <ul className="rows">
      {approvals.map((approval) => (
        <li key={approval.id}>
          <Row
            approval={approval}
            agent={agents.data?.agents.find(({ id }) => id === approval.agentId)?.email ?? undefined}
          />
        </li>
      ))}
    </ul>
  );
}

function Row({ approval, agent }: { readonly approval: Approval; readonly agent: string | undefined }) {
  const { id, kind, state, askedAt, expiresAt } = approval;
  const isPending = state === 'pending';
  // Recovery is how an account is taken over.
  const isAlarm = kind === 'recovery' && (isPending || state === 'approved');
  return (
    <Link href={`/approvals/${id}`} className={isAlarm ? 'alarm' : undefined}>
      <strong>
        <bdi>{requestLine(approval, agent)}</bdi>
      </strong>
      {isAlarm && <b>{WORDS.notMe}</b>}
      <span className={isPending ? 'tag warn' : 'tag'}>{WORDS.states[state] ?? state}</span>
      <small>{isPending ? WORDS.until(showUntil(expiresAt, nowMs())) : WORDS.asked(showTime(askedAt))}</small>
    </Link>
  );
}
