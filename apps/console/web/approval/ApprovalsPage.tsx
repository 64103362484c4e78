import { Link } from 'wouter';
import type { Approval } from '../api/records.js';
import { useAgents, useApprovals } from '../api/queries.js';
import { Empty, ErrorNotice, Loaded, useTitle } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { byAgent } from './reject-all.js';
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
      {approvals.map(({ id, kind, state, agentId, askedAt, expiresAt }) => (
        <li key={id}>
          <Link href={`/approvals/${id}`}>
            <strong>{WORDS.kinds[kind] ?? kind}</strong>
            <bdi>{agents.data?.agents.find((agent) => agent.id === agentId)?.email}</bdi>
            <span className={state === 'pending' ? 'tag warn' : 'tag'}>{WORDS.states[state] ?? state}</span>
            <small>{state === 'pending' ? WORDS.until(showTime(expiresAt)) : WORDS.asked(showTime(askedAt))}</small>
          </Link>
        </li>
      ))}
    </ul>
  );
}
