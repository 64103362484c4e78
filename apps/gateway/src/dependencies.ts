import { createOutbox, type EventConsumer, openEventConsumer, type Outbox } from '@agent-wallet/events';
import { type Clock, namedTokens, type Part, PARTS } from '@agent-wallet/kernel';
import { type Database, type Logger, openDatabase, stopInOrder, type TlsIdentity } from '@agent-wallet/platform';
import { JwtService } from '@nestjs/jwt';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Clients, openClients } from './adapters/grpc-clients.js';
import { ownersService } from './adapters/grpc-owners-service.js';
import { tokensService } from './adapters/grpc-tokens-service.js';
import {
  catalogService,
  historyService,
  policyService,
  predictionService,
  swapService,
  walletService,
} from './adapters/grpc-services.js';
import { createTokenSigner, KeyFolder } from './adapters/key-folder.js';
import { FetchedClientDocuments } from './adapters/client-documents/fetched-client-documents.js';
import { PostgresConnectionStore } from './adapters/postgres-connection-store.js';
import { PostgresEvictionReports } from './adapters/postgres-eviction-reports.js';
import { PostgresIdempotencyStore } from './adapters/postgres-idempotency-store.js';
import { PostgresMailQueue } from './adapters/postgres-mail-queue.js';
import { PostgresNoticeStore } from './adapters/postgres-notice-store.js';
import { PostgresOtpStore } from './adapters/postgres-otp-store.js';
import { PostgresOwnerStore } from './adapters/postgres-owner-store.js';
import { PostgresPreparedRequests } from './adapters/postgres-prepared-requests.js';
import { PostgresRateLimiter } from './adapters/postgres-rate-limiter.js';
import { PostgresSessionStore } from './adapters/postgres-session-store.js';
import { PostgresSessionUses } from './adapters/postgres-session-uses.js';
import { reachDatabase } from './adapters/query.js';
import { RegisteredClients } from './adapters/registered-clients.js';
import { createSmtpMailer, type MailBounds } from './adapters/smtp-mailer.js';
import { verifyWalletNetwork } from './adapters/verify-wallet-network.js';
import { ACTIONS } from './api/actions/actions.js';
import { ChangeFeed } from './application/changes/change-feed.js';
import { ChangeStreams } from './application/changes/change-streams.js';
import { CompleteLogin } from './application/connect/complete-login.js';
import { EndSession } from './application/connect/end-session.js';
import { EvictSessions } from './application/connect/evict-sessions.js';
import { MailQueuedOtps } from './application/connect/mail-queued-otps.js';
import { RefreshSession } from './application/connect/refresh-session.js';
import { ReportEvictions } from './application/connect/report-evictions.js';
import { RevokeSessions } from './application/connect/revoke-sessions.js';
import { SpendOtp } from './application/connect/spend-otp.js';
import { StartLogin } from './application/connect/start-login.js';
import { DecideConnection } from './application/connections/decide-connection.js';
import { IssueAccess } from './application/connections/issue-access.js';
import { type OAuthAddresses, RequestConnection } from './application/connections/request-connection.js';
import { MailNotices } from './application/notices/mail-notices.js';
import { TakeNotices } from './application/notices/take-notices.js';
import { FundingAdvice } from './application/operations/funding-advice.js';
import { explorerUrls } from './application/operations/operation.js';
import { ReadTransaction } from './application/operations/read-transaction.js';
import { ResolveOpenRequests } from './application/operations/resolve-open-requests.js';
import { RunOperation } from './application/operations/run-operation.js';
import { ClaimAgent } from './application/owners/claim-agent.js';
import { OwnerSessions } from './application/owners/owner-sessions.js';
import { LogInOwner } from './application/owners/log-in-owner.js';
import { ManageMembers } from './application/owners/manage-members.js';
import { ManageOwnedAgent } from './application/owners/manage-owned-agent.js';
import { RegisterPasskey } from './application/owners/register-passkey.js';
import { ManageTokens } from './application/tokens/manage-tokens.js';
import { VoteOnApproval } from './application/owners/vote-on-approval.js';
import { PrismaClient } from './generated/prisma/client.js';
import { Admission } from './http/admission.js';
import { ApiOrigins } from './http/api-origins.js';
import { BearerTokens } from './http/bearer-token.js';
import { consolePages } from './domain/console-pages.js';
import { Documents } from './http/docs/documents.js';
import type { HttpTimeouts } from './http/http-server.js';
import { MCP_PATH } from './http/mcp/endpoint.js';
import { OwnerAdmission } from './http/owners/owner-admission.js';
import { Readiness } from './http/readiness.js';
import type { ClientDocuments } from './ports/client-documents.js';
import type { Mailer } from './ports/mailer.js';
import type { RateLimiter } from './ports/rate-limiter.js';
import type { PolicyService } from './ports/services.js';
import type { TokenSigner } from './ports/tokens.js';
import type { GatewaySettings } from './settings.js';

const SCHEMA = 'gateway';
const MAX_CONNECTIONS = 20;
/** Bounds what reads of `/readyz`, which are not counted, ask of database and services. */
const READINESS_KEPT_MS = 1_000;

/** Time limits and intervals of the gateway; production's own figures where omitted. */
interface GatewayTiming {
  readonly respondWithinMs?: number;
  readonly historyLagMs?: number;
  readonly readinessKeptMs?: number;
  readonly resolveEveryMs?: number;
  readonly mailQueuedEveryMs?: number;
  readonly finishEvictionsEveryMs?: number;
  readonly mailNoticesEveryMs?: number;
  readonly followEveryMs?: number;
  readonly reviewStreamsEveryMs?: number;
  readonly mail?: MailBounds;
}

/** Parts that tests and benchmarks replace. */
export interface GatewayOverrides {
  readonly clock?: Clock;
  readonly httpTimeouts?: HttpTimeouts;
  /** In place of the service over gRPC. */
  readonly policy?: PolicyService;
  /** In place of the documents that apps serve. */
  readonly clientDocuments?: ClientDocuments;
  readonly timing?: GatewayTiming;
}

/** Inputs for opening the dependencies. */
export interface Opening extends GatewayOverrides {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tls: TlsIdentity;
}

/** Dependencies of the use cases. */
interface Opened extends Opening {
  readonly settings: GatewaySettings;
  readonly keys: KeyFolder;
  readonly database: Database;
  readonly clients: Clients;
  readonly mailer: Mailer;
  readonly outbox: Outbox;
  readonly jwt: JwtService;
}

/** Dependencies of the gateway's surfaces and loops. */
export type GatewayDependencies = ReturnType<typeof useCasesOf>;

/** Dependencies that were opened, and how they are closed. */
export interface OpenDependencies extends GatewayDependencies {
  readonly database: Database;
  readonly clients: Clients;
  readonly consumer: EventConsumer;
  readonly close: () => Promise<void>;
}

/** Opens everything that the gateway works with. @throws SettingsError */
export async function openDependencies(settings: GatewaySettings, opening: Opening): Promise<OpenDependencies> {
  const { clock, logger, tls, timing } = opening;
  const keys = await KeyFolder.open(settings.jwt, { logger, clock });
  const connection = settings.database;
  const database = openDatabase({ connection, schema: SCHEMA, logger, maxConnections: MAX_CONNECTIONS });
  const clients = openClients(settings, tls);
  const mailer = createSmtpMailer(settings.smtpUrl, settings.mailFrom, timing?.mail);
  const outbox = createOutbox(SCHEMA, clock);
  const consumer = openEventConsumer(streamOfNotices(settings), {
    database,
    consumer: SCHEMA,
    logger,
    isFollower: true,
  });
  const close = () =>
    stopInOrder(
      () => consumer.stop(),
      () => mailer.close(),
      () => clients.close(),
      () => keys.stop(),
      () => database.close(),
    );
  const opened = { ...opening, settings, keys, database, clients, mailer, outbox, jwt: new JwtService() };
  return { ...useCasesOf(opened), database, clients, consumer, close };
}

/** Returns the stream, which this service reads in a group of its own: history gets every event, too. */
function streamOfNotices({ stream, notices: { consumerGroup } }: GatewaySettings): GatewaySettings['stream'] {
  return stream.kind === 'kafka' ? { ...stream, consumerGroup } : stream;
}

/** Connects the ports to their adapters, and creates the use cases. */
function useCasesOf(opened: Opened) {
  const { settings, clock, logger, database, outbox, timing = {} } = opened;
  const limits = settings.rateLimits;
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: database.schema }) });
  const requests = new PostgresIdempotencyStore(database.pool, clock, logger);
  const sessions = new PostgresSessionStore(database, prisma, outbox, clock);
  const otps = new PostgresOtpStore(database, prisma, limits, clock);
  const limiter = new PostgresRateLimiter(database.pool, limits, clock);
  const owners = new PostgresOwnerStore(database, clock);
  const documents = new Documents({ ...settings, parts: partsOf(settings) });
  const addresses = () => oauthAddresses(settings, documents.publicUrl);
  const resource = () => addresses()?.resource;
  const bearers = new BearerTokens(opened.keys, opened.jwt, { ...settings.jwt, resource }, clock);
  const services = servicesOf(opened);
  const evictions = new ReportEvictions(new PostgresEvictionReports(database.pool, clock), services.owners);
  const { history } = services;

  const changeFeed = new ChangeFeed(history);
  const logins = loginsOf(opened, { otps, sessions, services, owners, limiter, evictions });
  const operations = operationsOf(opened, { requests, services, sessions, signer: logins.tokenSigner });
  return {
    ...{ clock, logger, requests, sessions, services, parts: partsOf(settings) },
    ...noticesOf(opened),
    ...logins,
    reportEvictions: evictions,
    ownerAdmission: new OwnerAdmission({ origin: settings.ownerOrigin, owners, limiter, clock }),
    apiOrigins: new ApiOrigins(settings.apiOrigins),
    changeFeed,
    changeStreams: new ChangeStreams({ feed: changeFeed, owners: services.owners, sessions, ownerSessions: owners }),
    revokeSessions: new RevokeSessions(sessions, evictions),
    ...operations,
    ...connectionsOf(opened, { services, sessions, signer: logins.tokenSigner, addresses, ...operations }),
    oauthAddresses: addresses,
    readTransaction: new ReadTransaction(history, requests, timing.historyLagMs),
    prepared: new PostgresPreparedRequests(database.pool, clock),
    admission: admissionOf(opened, bearers, limiter),
    tokenKeys: opened.keys,
    readiness: readinessOf(opened, services),
    documents,
  };
}

/** Creates the use cases of operations, and of the tokens that ask for them. */
function operationsOf(
  { settings, clock, logger, timing = {} }: Opened,
  { requests, services, sessions, signer }: OperationParts,
) {
  const { history, tokens } = services;
  const explorerUrl = explorerUrls(settings.explorerUrlTemplate);
  const parts = { requests, history, logger, clock, explorerUrl };
  const actions = Object.values(ACTIONS).map((action) => action.bind(services, explorerUrl));
  const resolveOpenRequests = new ResolveOpenRequests({ ...parts, actions });
  const { approval: approvalUrl } = consolePages(settings);
  const { respondWithinMs } = timing;
  const funding = new FundingAdvice({ sessions, sandboxAdminUrl: settings.sandboxAdminUrl });
  return {
    explorerUrl,
    runOperation: new RunOperation({ ...parts, tokens, approvalUrl, funding, respondWithinMs }),
    resolveOpenRequests,
    manageTokens: new ManageTokens({
      ...{ service: tokens, policy: services.policy, sessions, signer, requests: resolveOpenRequests, clock },
      maxAgeMs: settings.sessionMaxAgeMs,
    }),
  };
}

/** Creates the use cases of apps that connect by OAuth. */
function connectionsOf(
  { settings, clock, database, clientDocuments = new FetchedClientDocuments(clock) }: Opened,
  { services, sessions, signer, addresses, manageTokens }: ConnectionParts,
) {
  const connections = new PostgresConnectionStore(database, clock);
  const clients = new RegisteredClients(settings.registeredClients ?? [], clientDocuments);
  const { tokens } = services;
  const issuer = () => addresses()?.issuer;
  return {
    requestConnection: new RequestConnection({ clients, connections, clock }),
    decideConnection: new DecideConnection({ connections, sessions, tokens, manageTokens, clock, issuer }),
    issueAccess: new IssueAccess({ connections, sessions, signer, tokens: manageTokens, clock }),
  };
}

interface ConnectionParts extends Pick<OperationParts, 'services' | 'sessions' | 'signer'> {
  readonly addresses: () => OAuthAddresses | undefined;
  readonly manageTokens: ManageTokens;
}

/** Returns the addresses of the authorization server; undefined without a console, and before the gateway listens. */
function oauthAddresses(
  { ownerOrigin, hasOwnerConsole }: GatewaySettings,
  issuer: string | undefined,
): OAuthAddresses | undefined {
  if (ownerOrigin === undefined || !hasOwnerConsole || issuer === undefined) return undefined;
  const browserBase = browserBaseOf(issuer, ownerOrigin);
  return { issuer, resource: `${issuer}${MCP_PATH}`, browserBase, consoleOrigin: ownerOrigin };
}

/** Returns the base at the host that the console calls: on a developer's machine localhost, not the address that listens. */
function browserBaseOf(issuer: string, ownerOrigin: string): string {
  const isLocal = new URL(ownerOrigin).hostname === 'localhost';
  return isLocal ? issuer.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, 'http://localhost') : issuer;
}

interface OperationParts {
  readonly requests: PostgresIdempotencyStore;
  readonly services: Services;
  readonly sessions: PostgresSessionStore;
  readonly signer: TokenSigner;
}

/** Creates the use cases that mail notices. */
function noticesOf({ settings, database, mailer, clock, logger }: Opened) {
  const store = new PostgresNoticeStore(database, clock);
  const { notices } = settings;
  return {
    takeNotices: new TakeNotices({
      ...{ store, clock, pages: consolePages(settings), isOn: notices.isOn },
      tokens: namedTokens(settings.network),
    }),
    mailNotices: new MailNotices({ store, mailer, clock, logger }),
  };
}

/** Creates the admission of the public API. */
function admissionOf({ database, clock, logger }: Opened, bearers: BearerTokens, limiter: RateLimiter): Admission {
  return new Admission(limiter, bearers, new PostgresSessionUses(database.pool, clock, logger), clock);
}

/** Returns the parts of the deployment. */
const partsOf = ({ parts = PARTS }: GatewaySettings): readonly Part[] => parts;

type Services = ReturnType<typeof servicesOf>;

function servicesOf({ clients, policy }: Opened) {
  return {
    wallet: walletService(clients),
    swap: swapService(clients),
    prediction: predictionService(clients),
    catalog: catalogService(clients),
    policy: policy ?? policyService(clients),
    history: historyService(clients),
    owners: ownersService(clients),
    tokens: tokensService(clients),
  };
}

interface Stores {
  readonly otps: PostgresOtpStore;
  readonly sessions: PostgresSessionStore;
  readonly owners: PostgresOwnerStore;
  readonly limiter: PostgresRateLimiter;
  readonly services: Services;
  readonly evictions: ReportEvictions;
}

/** Sessions of agents and owners, and what begins with a mailed code or a passkey. */
function loginsOf({ settings, clock, database, keys, logger, mailer, jwt }: Opened, stores: Stores) {
  const { otps, sessions, owners, limiter, evictions } = stores;
  const { wallet, policy, owners: service } = stores.services;
  const tokens = createTokenSigner(jwt, keys, settings.jwt);
  const { otpPepper: pepper, ownerOrigin: origin, sessionMaxAgeMs: maxAgeMs } = settings;
  const mailing = {
    otps,
    queue: new PostgresMailQueue(database.pool, settings.rateLimits, clock),
    mailer,
    pepper,
    clock,
    logger,
  };
  const codes = new SpendOtp({ otps, pepper, clock });
  const startLogin = new StartLogin(mailing);
  const logInOwner = new LogInOwner({ codes, owners, service, limiter, clock, origin });
  return {
    startLogin,
    mailQueuedOtps: new MailQueuedOtps(mailing),
    completeLogin: new CompleteLogin({ codes, sessions, wallet, policy, tokens, pepper, clock }),
    refreshSession: new RefreshSession({ sessions, policy, evictions, tokens, clock, logger, maxAgeMs }),
    endSession: new EndSession(sessions, stores.services.tokens),
    tokenSigner: tokens,
    evictSessions: new EvictSessions(codes, sessions, evictions),
    logInOwner,
    ownerSessions: new OwnerSessions(owners),
    registerPasskey: new RegisterPasskey({ service, logins: logInOwner, clock, origin }),
    claimAgent: new ClaimAgent({ codes, mailing: startLogin, otps, sessions, service, wallet, clock }),
    voteOnApproval: new VoteOnApproval({ owners, service, sessions, evictions }),
    manageOwnedAgent: new ManageOwnedAgent(service, policy, sessions, evictions),
    manageMembers: new ManageMembers(owners, service),
  };
}

/**
 * Creates the readiness check: the database responds, every service can be reached, and the wallet service is on the
 * same network.
 */
function readinessOf({ settings, database, logger, timing = {} }: Opened, services: Services): Readiness {
  const { wallet, swap, prediction, policy, history } = services;
  const { swapAddress, predictionAddress } = settings;
  const databaseAnswers = () => reachDatabase(database.pool);
  const networkMatches = verifyWalletNetwork(settings.network, wallet, logger);
  const needed = [...(swapAddress ? [swap] : []), ...(predictionAddress ? [prediction] : []), policy, history];
  const reached = needed.map((service) => () => service.assertReachable());
  return new Readiness([databaseAnswers, networkMatches, ...reached], timing.readinessKeptMs ?? READINESS_KEPT_MS);
}
