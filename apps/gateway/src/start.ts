import { gatewayV1 } from '@agent-wallet/contracts';
import { type Clock, systemClock } from '@agent-wallet/kernel';
import { createOutbox, openEventPublisher, startRelay } from '@agent-wallet/events';
import {
  createLogger,
  loadTls,
  openDatabase,
  type RunningService,
  startGrpcService,
  startLoop,
  type StartedGrpcServer,
  SettingsError,
  stopInOrder,
  verifySchema,
} from '@agent-wallet/platform';
import { NestFactory } from '@nestjs/core';
import { JwtService } from '@nestjs/jwt';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { openClients } from './adapters/grpc-clients.js';
import { purgeExpired, watchRequests } from './adapters/housekeeping.js';
import { KeyFolder } from './adapters/key-folder.js';
import { reachDatabase } from './adapters/query.js';
import { createSmtpMailer } from './adapters/smtp-mailer.js';
import { type GatewayDependencies, type GatewayTiming, openDependencies, type Opened } from './dependencies.js';
import { GatewayModule, OperatorModule } from './gateway.module.js';
import { OPERATOR_CALLERS } from './grpc/callers.js';
import { OperatorController } from './grpc/operator.controller.js';
import { createFastify, prepareFastify } from './http/fastify.js';
import { drain, HTTP_TIMEOUTS, type HttpTimeouts } from './http/http-server.js';
import { measureRequests } from './http/measure-requests.js';
import { gatewayMigrations } from './migrations.js';
import type { PolicyService } from './ports/services.js';
import type { GatewaySettings } from './settings.js';

/** What tests and benchmarks replace. */
export interface GatewayOverrides {
  readonly clock?: Clock;
  readonly httpTimeouts?: HttpTimeouts;
  readonly policy?: PolicyService;
  readonly timing?: GatewayTiming;
}

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

/** So that the first requests wait for no connection. A service that is away is no reason not to serve the others. */
const PEERS_WITHIN_MS = 5_000;
const STOP_WITHIN_MS = 25_000;
const PURGE_EVERY_MS = 600_000;
const RESOLVE_EVERY_MS = 1_000;
const MAX_CONNECTIONS = 20;

/** Starts the REST edge: opens everything it needs and listens. The schema must have been migrated. */
export async function startGateway(
  settings: GatewaySettings,
  overrides: GatewayOverrides = {},
): Promise<RunningGateway> {
  const { clock = systemClock, httpTimeouts = HTTP_TIMEOUTS, policy, timing = {} } = overrides;
  const logger = createLogger('gateway', settings.logLevel);
  await verifySchema({ connection: settings.database, ...gatewayMigrations, logger });
  const keys = await KeyFolder.open(settings.jwt, { logger, clock });
  const connection = settings.database;
  const database = openDatabase({ connection, schema: 'gateway', logger, maxConnections: MAX_CONNECTIONS });
  const tls = await loadTls(settings.tls, { logger });
  const clients = openClients(settings, tls);
  const mailer = createSmtpMailer(settings.smtpUrl, settings.mailFrom, timing.mail);
  const closeAll = () =>
    stopInOrder(
      () => mailer.close(),
      () => clients.close(),
      () => keys.stop(),
      () => database.close(),
    );
  try {
    await reachDatabase(database.pool);
    const outbox = createOutbox('gateway', clock);
    return await serve(
      { settings, clock, logger, keys, tls, database, clients, mailer, outbox, jwt: new JwtService(), policy, timing },
      httpTimeouts,
      closeAll,
    );
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function serve(opened: Opened, timeouts: HttpTimeouts, closeAll: () => Promise<void>): Promise<RunningGateway> {
  const { clock, logger, database, timing } = opened;
  const publisher = openEventPublisher(opened.settings.stream, { database, source: 'gateway', logger });
  const dependencies = openDependencies(opened);
  const { requests, readiness, resolveOpenRequests } = dependencies;
  await opened.clients.connected(PEERS_WITHIN_MS);
  // Before the public is served: a gateway that is ready obeys its operators.
  const operators = await serveOperators(opened, dependencies);
  const http = await serveHttp(opened, timeouts, dependencies).catch(async (error: unknown) => {
    requests.stop();
    await operators.stop();
    throw error;
  });
  operators.setServing(true);

  const relay = startRelay(database, publisher, logger);
  const loop = (name: string, idleMs: number, round: () => Promise<boolean>) =>
    startLoop({ name, idleMs, logger, round });
  const resolving = loop('resolve-requests', timing.resolveEveryMs ?? RESOLVE_EVERY_MS, () =>
    resolveOpenRequests.round(),
  );
  const purging = loop('purge', PURGE_EVERY_MS, () => purgeExpired(database, clock));
  const gauges = watchRequests(database);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    readiness.stop();
    operators.setServing(false);
    gauges.stop();
    return stopInOrder(
      () => http.stop(),
      () => operators.stop(),
      () => Promise.all([resolving.stop(), purging.stop()]),
      () => requests.stop(),
      () => relay.stop(),
      () => publisher.close(),
      closeAll,
    );
  };
  const { url, address, port } = http;
  const { address: operatorAddress, healthAddress } = operators;
  logger.info({ event: 'service.started', url, operatorAddress }, 'Service listening');
  const places = { url, address, port, operatorAddress, ...(healthAddress && { healthAddress }) };
  return { ...places, stop: () => (stopped ??= stop()) };
}

function serveOperators(opened: Opened, dependencies: GatewayDependencies): Promise<StartedGrpcServer> {
  return startGrpcService(
    OperatorModule.with(dependencies),
    [
      {
        definition: gatewayV1.GatewayOperatorServiceService,
        callers: OPERATOR_CALLERS,
        controller: OperatorController,
      },
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

/** The public API. */
async function serveHttp({ settings, logger }: Opened, timeouts: HttpTimeouts, dependencies: GatewayDependencies) {
  const { admission, readiness, documents } = dependencies;
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(dependencies),
    createFastify(settings.trustedProxies, timeouts),
    { bodyParser: false, logger: ['error', 'fatal'], abortOnError: false },
  );
  measureRequests(app.getHttpAdapter().getInstance(), logger);
  prepareFastify(app.getHttpAdapter().getInstance(), admission, readiness);
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
  return { url, address, port, stop: () => closeHttp(app, settings.drainMs ?? 0) };
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
  await app.close();
  clearTimeout(timer);
}
