import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Route, Switch } from 'wouter';
import { LoginPage } from '../account/LoginPage.js';
import { Failure } from '../api/failure.js';
import { KEYS } from '../api/queries.js';
import { type Console, ConsoleContext } from './config.js';
import { Layout } from './Layout.js';
import { NotFound } from './NotFound.js';

// Each page but the login is a file of its own, so that the first load stays small.
const WelcomePage = lazy(() => import('../account/WelcomePage.js'));
const AgentsPage = lazy(() => import('../agents/AgentsPage.js'));
const AgentPage = lazy(() => import('../agents/AgentPage.js'));
const ApprovalPage = lazy(() => import('../approval/ApprovalPage.js'));
const ApprovalsPage = lazy(() => import('../approval/ApprovalsPage.js'));
const CancelClaimPage = lazy(() => import('../account/CancelClaimPage.js'));
const ConnectPage = lazy(() => import('../connect/ConnectPage.js'));
const OwnerSessionsPage = lazy(() => import('../account/OwnerSessionsPage.js'));
const PasskeysPage = lazy(() => import('../account/PasskeysPage.js'));

const STALE_MS = 15_000;
const MAX_RETRIES = 2;

/** Creates the cache. What a client did wrong is not tried again. */
function newQueries(): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        const isNews = error instanceof Failure && error.isLoggedOut && queryKey[0] !== KEYS.owner[0];
        if (isNews) void queries.invalidateQueries({ queryKey: KEYS.owner });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (count, error) =>
          count < MAX_RETRIES && !(error instanceof Failure && error.statusCode < 500 && error.statusCode >= 400),
      },
    },
  });
  return queries;
}

/** The owner console. */
export function App({ console }: { readonly console: Console }) {
  const [queries] = useState(newQueries);
  return (
    <ConsoleContext value={console}>
      <QueryClientProvider client={queries}>
        <Layout>
          <Switch>
            <Route path="/" component={AgentsPage} />
            <Route path="/welcome" component={WelcomePage} />
            <Route path="/login" component={LoginPage} />
            <Route path="/agents/:id/:tab?">{({ id, tab }) => <AgentPage agentId={id} tab={tab} />}</Route>
            <Route path="/passkeys" component={PasskeysPage} />
            <Route path="/sessions" component={OwnerSessionsPage} />
            <Route path="/cancel-claim" component={CancelClaimPage} />
            <Route path="/approvals" component={ApprovalsPage} />
            <Route path="/approvals/:id">{({ id }) => <ApprovalPage key={id} approvalId={id} />}</Route>
            <Route path="/connect/:id">{({ id }) => <ConnectPage key={id} connectionId={id} />}</Route>
            <Route component={NotFound} />
          </Switch>
        </Layout>
      </QueryClientProvider>
    </ConsoleContext>
  );
}
