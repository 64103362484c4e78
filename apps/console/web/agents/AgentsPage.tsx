import { Link } from 'wouter';
import type { OwnedAgent } from '../api/records.js';
import { useAgentData, useAgents, useApprovals, useOwner } from '../api/queries.js';
import { useQueries } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ApprovalList } from '../approval/ApprovalsPage.js';
import { Empty, Loaded, Skeleton, useTitle } from '../parts/parts.js';
import { showTime, showUsd } from '../parts/show.js';
import { TEXTS } from '../texts.js';

const WORDS = TEXTS.agents;

/** Lists the owner's agents, with what they hold and what waits. */
export default function AgentsPage() {
  useTitle(WORDS.title);
  const agents = useAgents();
  return (
    <>
      <h1>{WORDS.title}</h1>
      <OnlyPasskey />
      <Loaded query={agents} lines={6}>
        {({ agents: list }) => (list.length === 0 ? <NoAgents /> : <Agents agents={list} />)}
      </Loaded>
    </>
  );
}

/** Warns an owner whose only passkey could be lost. */
function OnlyPasskey() {
  const owner = useOwner();
  if (owner.data?.passkeys.length !== 1) return null;
  return (
    <p className="notice">
      {TEXTS.passkeys.second} <Link href="/passkeys">{TEXTS.passkeys.secondLink}</Link>
    </p>
  );
}

function NoAgents() {
  return (
    <Empty title={WORDS.none}>
      <p>{WORDS.noneText}</p>
      <Link className="button" href="/welcome">
        {TEXTS.nav.claim}
      </Link>
    </Empty>
  );
}

function Agents({ agents }: { readonly agents: readonly OwnedAgent[] }) {
  const pending = useApprovals('pending');
  const waiting = pending.data?.approvals ?? [];
  return (
    <>
      <Total agents={agents} />
      {waiting.length > 0 ? (
        <section className="waits" aria-labelledby="waits">
          <h2 id="waits">{WORDS.waits(waiting.length)}</h2>
          <ApprovalList approvals={waiting} />
        </section>
      ) : (
        pending.data && <p>{WORDS.waitsNone}</p>
      )}
      <ul className="cards">
        {agents.map((agent) => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </ul>
      <Link className="button quiet" href="/welcome">
        {TEXTS.nav.claim}
      </Link>
    </>
  );
}

function Total({ agents }: { readonly agents: readonly OwnedAgent[] }) {
  const { api } = useConsole();
  const balances = useQueries({
    queries: agents.map(({ id: agentId }) => ({
      queryKey: [...KEYS.agent(agentId), 'balances'],
      queryFn: () => dataOf(api.GET('/owner/agents/{agentId}/balances', { params: { path: { agentId } } })),
    })),
  });
  const total = balances.reduce((sum, { data }) => sum + (data?.totalUsdValue ?? 0), 0);
  const isPartial = balances.some(({ isError }) => isError);
  return (
    <div className="total">
      <span>{WORDS.total}</span>
      {balances.some(({ isPending }) => isPending) ? <Skeleton lines={1} /> : <strong>{showUsd(total)}</strong>}
      {isPartial && <small>{WORDS.partial}</small>}
    </div>
  );
}

function AgentCard({ agent: { id, email, since } }: { readonly agent: OwnedAgent }) {
  const balances = useAgentData('balances', id);
  const details = useAgentData('details', id);
  const isFrozen = (details.data?.freezes.length ?? 0) > 0;
  return (
    <li className={isFrozen ? 'card cold' : 'card'}>
      <Link href={`/agents/${id}`}>
        <strong>
          <bdi>{email ?? WORDS.unnamed}</bdi>
        </strong>
        <span className="value">{balances.data ? showUsd(balances.data.totalUsdValue) : '…'}</span>
        <small>{WORDS.since(showTime(since))}</small>
        {isFrozen && <span className="tag cold">{WORDS.frozen}</span>}
      </Link>
    </li>
  );
}
