import type { UseQueryResult } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { AgentDetails } from '../api/records.js';
import { isMissing } from '../api/failure.js';
import { useAgentData } from '../api/queries.js';
import { Boundary } from '../app/Boundary.js';
import { ErrorNotice, Skeleton, useTitle } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { FreezeButton } from './FreezeButton.js';
import { OverviewTab } from './OverviewTab.js';
import { RecipientsTab } from './RecipientsTab.js';
import { SessionsTab } from './SessionsTab.js';
import type { TabProps } from './tab.js';

const WORDS = TEXTS.agent;

type Tab = keyof typeof WORDS.tabs;

const VIEWS: Readonly<Record<Tab, ComponentType<TabProps>>> = {
  overview: OverviewTab,
  activity: lazy(() => import('../history/ActivityTab.js')),
  positions: lazy(() => import('./PositionsTab.js')),
  limits: lazy(() => import('../policy/LimitsTab.js')),
  sessions: SessionsTab,
  recipients: RecipientsTab,
  owners: lazy(() => import('./OwnersTab.js')),
  proof: lazy(() => import('../verify/VerifyPanel.js')),
};
const TABS = Object.keys(VIEWS) as Tab[];

interface AgentPageProps extends TabProps {
  readonly tab: string | undefined;
}

/** Shows one agent. */
export default function AgentPage({ agentId, tab }: AgentPageProps) {
  const details = useAgentData('details', agentId);
  if (isMissing(details.error)) return <NoSuchAgent />;
  return <Agent agentId={agentId} tab={tab} details={details} />;
}

interface AgentProps extends AgentPageProps {
  readonly details: UseQueryResult<AgentDetails>;
}

function Agent({ agentId, tab, details }: AgentProps) {
  const name = details.data?.agent.email ?? UNNAMED;
  useTitle(name);
  const shown = TABS.find((each) => each === tab) ?? 'overview';
  const View = VIEWS[shown];
  return (
    <>
      <div className="heading">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        <FreezeButton agentId={agentId} isFrozen={details.data?.freezes.some(({ source }) => source === 'owner')} />
      </div>
      {details.data && <Freezes freezes={details.data.freezes} />}
      {details.isError && <ErrorNotice error={details.error} retry={() => void details.refetch()} />}
      <Tabs agentId={agentId} shown={shown} />
      <Boundary key={shown}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <View agentId={agentId} />
        </Suspense>
      </Boundary>
    </>
  );
}

const UNNAMED = TEXTS.agents.unnamed;

function NoSuchAgent() {
  useTitle(WORDS.missing);
  return (
    <section className="narrow">
      <h1>{WORDS.missing}</h1>
      <p>{WORDS.missingText}</p>
      <Link className="button" href="/">
        {TEXTS.errors.toStart}
      </Link>
    </section>
  );
}

function Tabs({ agentId, shown }: TabProps & { readonly shown: Tab }) {
  return (
    <nav className="tabs" aria-label={WORDS.tabsLabel}>
      {TABS.map((tab) => (
        <Link
          key={tab}
          href={tab === 'overview' ? `/agents/${agentId}` : `/agents/${agentId}/${tab}`}
          aria-current={tab === shown ? 'page' : undefined}
        >
          {WORDS.tabs[tab]}
        </Link>
      ))}
    </nav>
  );
}

function Freezes({ freezes }: Pick<AgentDetails, 'freezes'>) {
  return freezes.map(({ source, since }) => (
    <p key={source} className="frozen">
      <strong>{TEXTS.agents.frozen}</strong>{' '}
      {source === 'owner' ? WORDS.frozenByOwner(showTime(since)) : WORDS.frozenByOperator(showTime(since))}
    </p>
  ));
}
