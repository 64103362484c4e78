import { gatewayV1 } from '@agent-wallet/contracts';
import { once, systemClock } from '@agent-wallet/kernel';
import { openEventPublisher, startRelay } from '@agent-wallet/events';
import {
  type BackgroundLoop,
  createLogger,
  loadTls,
  type RunningService,
  defineService,
  startGrpcService,
  startLoop,
  type StartedGrpcServer,
  SettingsError,
  stopInOrder,
  verifyNetwork,
  verifySchema,
} from '@agent-wallet/platform';
import { asService } from '@agent-wallet/telemetry';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { purgeExpired, watchRequests } from './adapters/housekeeping.js';
import { reachDatabase } from './adapters/query.js';
import { watchOwners } from './adapters/watch-owners.js';
import { watchStreams } from './adapters/watch-streams.js';
import {
  type GatewayDependencies,
  type GatewayOverrides,
  openDependencies,
  type OpenDependencies,
  type Opening,
} from './dependencies.js';
import { GatewayModule } from './gateway.module.js';
import { OPERATOR_CALLERS } from './grpc/callers.js';
import { operatorService } from './grpc/operator-service.js';
import { createFastify, prepareFastify } from './http/fastify.js';
import { closeSilent, drain, HTTP_TIMEOUTS, type HttpTimeouts } from './http/http-server.js';
import { serveMcp } from './http/mcp/endpoint.js';
import { allowedOrigins } from './http/mcp/mcp-origins.js';
import { createWalletHandler, missingScopes } from './http/mcp/wallet-server.js';
import { createWalletTools } from './http/mcp/wallet-tools.js';
import { serveOAuth } from './http/oauth/endpoints.js';
import { metadataUrlOf } from './http/oauth/metadata.js';
import { measureRequests } from './http/measure-requests.js';
import { gatewayMigrations } from './migrations.js';
import type { GatewaySettings } from './settings.js';

/** A gateway that listens. */
export interface RunningGateway extends RunningService {
  /** `http://host:port` */
  readonly url: string;
  /** `host:port` */
  readonly address: string;
  readonly port: number;
  /** `host:port` at which operators are served over gRPC. */
  readonly operatorAddress: string;
  /** `host:port` that serves the health of both without TLS, where that was asked for. */
  readonly healthAddress?: string;
}

type Serving = Opening & { readonly settings: GatewaySettings };

/**
 * Time that the start waits for its peers, so that early requests find open connections. It serves even if one is away.
 */
const PEERS_WITHIN_MS = 5_000;
const STOP_WITHIN_MS = 25_000;
const PURGE_EVERY_MS = 600_000;
const RESOLVE_EVERY_MS = 1_000;
const MAIL_QUEUED_EVERY_MS = 2_000;
const FINISH_EVICTIONS_EVERY_MS = 10_000;
const MAIL_NOTICES_EVERY_MS = 10_000;
const FOLLOW_EVERY_MS = 500;
/** Well within the time after which a silent connection is cut. */
const REVIEW_STREAMS_EVERY_MS = 10_000;

/** Starts the REST edge: opens everything it needs and listens. The schema must have been migrated. */
export async function startGateway(
  settings: GatewaySettings,
  overrides: GatewayOverrides = {},
): Promise<RunningGateway> {
  const { clock = systemClock, httpTimeouts = HTTP_TIMEOUTS } = overrides;
  const logger = createLogger('gateway', settings.logLevel);
  await verifySchema({ connection: settings.database, ...gatewayMigrations, logger });
  const tls = await loadTls(settings.tls, { logger });
  const opening = { ...overrides, clock, logger, tls };
  const dependencies = await openDependencies(settings, opening);
  try {
    await reachDatabase(dependencies.database.pool);
    await dependencies.clients.connected(PEERS_WITHIN_MS);
    await verifyNetwork({
      expected: settings.network,
      source: 'that of the wallet service',
      logger,
      read: () => dependencies.services.wallet.network(),
    });
    return await serve({ ...opening, settings }, httpTimeouts, dependencies);
  } catch (error) {
    dependencies.requests.stop();
    await dependencies.close();
    throw error;
  }
}

async function serve(opened: Serving, timeouts: HttpTimeouts, dependencies: OpenDependencies): Promise<RunningGateway> {
  const { logger } = opened;
  const { requests, readiness, database } = dependencies;
  const publisher = openEventPublisher(opened.settings.stream, { database, source: 'gateway', logger });
  // Before the public is served: a gateway that is ready obeys its operators.
  const operators = await serveOperators(opened, dependencies);
  const http = await serveHttp(opened, timeouts, dependencies).catch(async (error: unknown) => {
    await operators.stop();
    throw error;
  });
  operators.setServing(true);

  const relay = startRelay(database, publisher, logger);
  const loops = startLoops(opened, dependencies);
  const gauges = [watchRequests(database), watchOwners(database), watchStreams(dependencies.changeStreams)];
  const stop = once(() => {
    readiness.stop();
    const streamsEnd = dependencies.changeStreams.stop(opened.settings.drainMs ?? 0);
    operators.setServing(false);
    gauges.forEach((gauge) => gauge.stop());
    return stopInOrder(
      () => http.stop(),
      () => streamsEnd,
      () => operators.stop(),
      () => loops.stop(),
      () => requests.stop(),
      () => relay.stop(),
      () => publisher.close(),
      dependencies.close,
    );
  });
  const { url, address, port } = http;
  const { address: operatorAddress, healthAddress } = operators;
  logger.info({ event: 'service.started', url, operatorAddress }, 'Service listening');
  const places = { url, address, port, operatorAddress, ...(healthAddress && { healthAddress }) };
  return { ...places, stop };
}

/** Starts the loops that run beside requests. */
function startLoops(
  { clock, logger, timing = {} }: Serving,
  dependencies: OpenDependencies,
): { stop(): Promise<unknown> } {
  const { resolveOpenRequests, mailQueuedOtps, voteOnApproval, reportEvictions, mailNotices, database } = dependencies;
  const { changeFeed, changeStreams } = dependencies;
  const loop = (name: string, idleMs: number, round: () => Promise<boolean>) =>
    startLoop({ name, idleMs, logger, round });
  const mailing = loop('mail-notices', timing.mailNoticesEveryMs ?? MAIL_NOTICES_EVERY_MS, () => mailNotices.round());
  followEvents(dependencies, mailing);
  const following = loop('follow-changes', timing.followEveryMs ?? FOLLOW_EVERY_MS, () => changeFeed.round());
  changeFeed.onJoin(() => following.wake());
  const loops = [
    mailing,
    following,
    loop('review-streams', timing.reviewStreamsEveryMs ?? REVIEW_STREAMS_EVERY_MS, () => changeStreams.review()),
    loop('resolve-requests', timing.resolveEveryMs ?? RESOLVE_EVERY_MS, () => resolveOpenRequests.round()),
    loop('mail-queued-codes', timing.mailQueuedEveryMs ?? MAIL_QUEUED_EVERY_MS, () => mailQueuedOtps.round()),
    loop('finish-evictions', timing.finishEvictionsEveryMs ?? FINISH_EVICTIONS_EVERY_MS, () =>
      voteOnApproval.finishEvictions(),
    ),
    loop('report-evictions', timing.finishEvictionsEveryMs ?? FINISH_EVICTIONS_EVERY_MS, () =>
      reportEvictions.finish(),
    ),
    loop('purge', PURGE_EVERY_MS, () => purgeExpired(database, clock)),
  ];
  return { stop: () => Promise.all([dependencies.consumer, ...loops].map((each) => each.stop())) };
}

/** Notes what is news, and has it mailed at once. */
function followEvents({ consumer, takeNotices }: OpenDependencies, mailing: BackgroundLoop): void {
  consumer.start((batch, keepPlace) =>
    asService('gateway', async () => {
      if (await takeNotices.execute(batch, keepPlace)) mailing.wake();
    }),
  );
}

function serveOperators(opened: Serving, dependencies: GatewayDependencies): Promise<StartedGrpcServer> {
  return startGrpcService(
    [
      defineService(
        gatewayV1.GatewayOperatorServiceService,
        OPERATOR_CALLERS,
        operatorService(dependencies.revokeSessions),
      ),
    ],
    {
      address: opened.settings.grpcAddress,
      healthAddress: opened.settings.healthAddress,
      startsServing: false,
      tls: opened.tls,
      logger: opened.logger,
    },
  );
}

/** Serves the public API. */
async function serveHttp({ settings, logger }: Serving, timeouts: HttpTimeouts, dependencies: GatewayDependencies) {
  const { readiness, documents } = dependencies;
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(dependencies),
    createFastify(settings, timeouts),
    { bodyParser: false, logger: ['error', 'fatal'], abortOnError: false },
  );
  measureRequests(app.getHttpAdapter().getInstance(), logger);
  prepareFastify(app.getHttpAdapter().getInstance(), dependencies, readiness);
  const mcp = mountMcp(app, settings, dependencies);
  await app.init();
  // Nest's own `listen` prints a stack trace when the port is in use.
  const { port: wanted, host } = settings;
  await app
    .getHttpAdapter()
    .getInstance()
    .listen({ port: wanted, host })
    .catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? portInUse(wanted) : error;
    });
  const { port } = app.getHttpServer().address() as AddressInfo;
  const address = `${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
  const url = `http://${address}`;
  documents.servedAt(url);
  return {
    ...{ url, address, port },
    async stop() {
      await Promise.all([closeHttp(app, settings.drainMs ?? 0), mcp.close()]);
    },
  };
}

/** Serves MCP beside the routes, and the authorization server of its hosts where owners have a console. */
function mountMcp(app: NestFastifyApplication, settings: GatewaySettings, parts: GatewayDependencies) {
  const { publicUrl, port, ownerOrigin, hasOwnerConsole } = settings;
  const { admission, prepared, logger, requestConnection, issueAccess, oauthAddresses: addresses } = parts;
  const fastify = app.getHttpAdapter().getInstance();
  // Made when a host first asks: the schemas of every route take a while.
  const tools = once(createWalletTools);
  const handler = createWalletHandler({ services: parts, prepared, tools, logger });
  serveMcp(fastify, {
    ...{ admission, handler, isAllowed: allowedOrigins(publicUrl ?? `http://localhost:${port}`) },
    metadataUrl: (url) => metadataUrlOf(addresses(), url),
    missingScopes: (message, caller) => missingScopes(tools(), message, caller),
  });
  if (ownerOrigin !== undefined && hasOwnerConsole) {
    serveOAuth(fastify, { admission, requestConnection, issueAccess, addresses });
  }
  return handler;
}

function portInUse(port: number): SettingsError {
  return new SettingsError([
    `PORT: port ${port} is in use. Stop the program that listens there, or set PORT to a free port.`,
  ]);
}

/** Lets clients go, stops listening and lets the requests under way finish; what takes too long is cut off. */
async function closeHttp(app: NestFastifyApplication, drainMs: number): Promise<void> {
  const server = app.getHttpServer();
  await drain(server, drainMs);
  const timer = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
  const closed = app.close();
  closeSilent(server);
  await closed;
  clearTimeout(timer);
}
