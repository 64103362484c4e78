import { actionRoutes } from './actions/actions.js';
import * as approvals from './approval-routes.js';
import { attestationRoute } from './attestation-route.js';
import { CATALOG_ROUTES } from './catalog-routes.js';
import { changesRoute, ownerChangesRoute } from './change-routes.js';
import * as connect from './connect-routes.js';
import { CATALOG_EVENT_ROUTES } from './catalog-event-routes.js';
import * as history from './history/history-routes.js';
import { LIQUIDITY_ROUTES } from './liquidity-routes.js';
import { MEMBER_ROUTES } from './member-routes.js';
import { OWNED_AGENT_ROUTES } from './owned-agent-routes.js';
import { OWNER_SESSION_ROUTES } from './owner-routes.js';
import { OWNER_SESSION_LIST_ROUTES } from './owner-session-routes.js';
import * as policy from './policy-routes.js';
import { predictionBalanceRoute } from './predictions/balance-route.js';
import { ordersRoute } from './predictions/orders-route.js';
import { positionsRoute } from './predictions/positions-route.js';
import { exportRoute } from './history/export-route.js';
import { proofRoute } from './history/proof-route.js';
import { spendingRoute } from './history/spending-route.js';
import { closest, type Part } from '@agent-wallet/kernel';
import { isOfOwners, isServed, type Route, type RouteContract } from './route.js';
import * as session from './session-routes.js';
import * as service from './service-routes.js';
import { TOKEN_ROUTES } from './token-routes.js';
import * as wallet from './wallet-routes.js';

/** Every route that is served, in the order of the documents. A test holds them against the router. */
export const ROUTES: readonly Route[] = [
  connect.startRoute,
  connect.completeRoute,
  connect.validateRoute,
  connect.refreshRoute,
  connect.logoutRoute,
  session.listSessionsRoute,
  session.endSessionByIdRoute,
  session.evictRoute,
  session.cancelClaimsRoute,
  ...TOKEN_ROUTES,
  wallet.walletRoute,
  wallet.balancesRoute,
  ...actionRoutes('Wallet'),
  history.historyRoute,
  history.transactionRoute,
  proofRoute,
  exportRoute,
  spendingRoute,
  changesRoute,
  wallet.tokenRoute,
  ...LIQUIDITY_ROUTES,
  ...actionRoutes('Liquidity'),
  ...CATALOG_ROUTES,
  ...CATALOG_EVENT_ROUTES,
  ...actionRoutes('Prediction markets'),
  positionsRoute,
  ordersRoute,
  predictionBalanceRoute,
  policy.getPolicyRoute,
  policy.updatePolicyRoute,
  policy.usageRoute,
  approvals.proposeRoute,
  approvals.listApprovalsRoute,
  approvals.getApprovalRoute,
  approvals.withdrawApprovalRoute,
  ...OWNER_SESSION_ROUTES,
  ...OWNER_SESSION_LIST_ROUTES,
  ...OWNED_AGENT_ROUTES,
  ...MEMBER_ROUTES,
  ownerChangesRoute,
  attestationRoute,
  service.serviceRoute,
  service.capabilitiesRoute,
  service.skillRoute,
  service.llmsRoute,
  service.openApiRoute,
  service.ownerOpenApiRoute,
  service.docsRoute,
  service.docsScriptRoute,
  service.jwksRoute,
  service.healthRoute,
  service.readyRoute,
];

/** Returns the routes of a deployment with these parts. */
export const routesWith = <R extends RouteContract>(routes: readonly R[], parts: readonly Part[]): R[] =>
  routes.filter((route) => isServed(route, parts));

/** Returns the routes that agents need. The script of a page is a part of it, which no document lists. */
export const agentRoutes = <R extends RouteContract>(routes: readonly R[]): R[] =>
  routes.filter((route) => !isForOwners(route) && route.id !== service.docsScriptRoute.id);

/** Returns the routes of the owners' console. */
export const ownerRoutes = (routes: readonly RouteContract[]) => routes.filter(isForOwners);

/** Returns whether a route is the console's, or the document of these. */
function isForOwners(contract: RouteContract): boolean {
  return isOfOwners(contract) || contract === service.ownerOpenApiRoute;
}

const MATCHERS = ROUTES.map((contract) => {
  const source = `^${contract.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`;
  return { contract, pattern: new RegExp(source), inAnyCase: new RegExp(source, 'i') };
});

/**
 * Returns the methods that a path supports; empty for an unknown one. An exact path comes before one with parameters.
 */
export function methodsOf(path: string): string[] {
  const exact = ROUTES.filter((contract) => contract.path === path);
  const fitting = MATCHERS.filter(({ pattern }) => pattern.test(path)).map(({ contract }) => contract);
  const methods = (exact.length > 0 ? exact : fitting).map(({ method }) => method);
  // GET brings HEAD with it.
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

/** Longer paths are not compared: that would take time. */
const LONGEST_SLIP = 200;

/** Text that callers write before or after a path: the base of another API, a version, a slash. */
const AROUND = /^(?:\/(?:api|v\d+))+(?=\/)|\/+$/gi;

/**
 * Returns the path of a route that an unknown path may have meant; undefined where none is near. Ids have a case: a route
 * with one is named by its template.
 */
export function nearestPath(path: string): string | undefined {
  if (path.length > LONGEST_SLIP) return undefined;
  const bare = path.replace(AROUND, '').replaceAll(/\/{2,}/g, '/');
  const paths = ROUTES.map((contract) => contract.path);
  const same = paths.find((each) => each.toLowerCase() === bare.toLowerCase());
  const fitting = MATCHERS.find(({ inAnyCase }) => inAnyCase.test(bare));
  return same ?? fitting?.contract.path ?? closest(bare, paths)[0];
}
