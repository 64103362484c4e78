export type { Environment } from './settings/environment.js';
export { checkSettings, readSettings, SettingsError, type SettingsOf } from './settings/read-settings.js';
export {
  SERVER_VARIABLES,
  type ServerSettings,
  serverSettings,
  SERVICE_VARIABLES,
  type ServiceSettings,
  serviceSettings,
} from './settings/service-settings.js';
export {
  CLIENT_TLS_VARIABLES,
  clientTls,
  clientTlsEnvironment,
  type ClientTlsPaths,
  serverTlsEnvironment,
} from './settings/tls-settings.js';
export { type MisspeltVariable, misspeltVariables } from './settings/misspelt-variables.js';
export { setting } from './settings/kinds.js';
export { telemetrySettings } from './settings/telemetry-settings.js';
export { createLogger, type Logger } from './log/logger.js';
export { LOG_EVENTS } from './log/log-events.js';
export { serviceOf } from './log/service-of.js';
export { currentRequest, inRequest, type RequestContext } from './context/request-context.js';
export { assertCaller, type CallerLists, namesOf, type ServiceName } from './grpc/callers.js';
export { type CallOptions, openRpcClient, type PeerOptions, type RpcClient } from './grpc/client.js';
export { type AuthenticatedCall, type GrpcController, defineService } from './grpc/controller.js';
export { type EveryReplica, openEveryReplica, replicaAddresses, type ReplicaResponses } from './grpc/every-replica.js';
export { fromServiceError, RpcFailure, toAppError, toServiceError } from './grpc/errors.js';
export { GrpcServer, type GrpcServerOptions, type ServedService } from './grpc/server.js';
export { type RunningGrpcService, type StartedGrpcServer, startGrpcService } from './grpc/start-grpc-service.js';
export type { LeafPaths, TlsPaths, TlsUse, WatchOptions } from './grpc/certificate-files.js';
export { loadTls, type TlsIdentity } from './grpc/tls.js';
export { afterCommit } from './postgres/after-commit.js';
export type { PostgresConnection } from './settings/postgres-connection.js';
export {
  type Database,
  type DatabaseSession,
  databaseError,
  type DatabaseOptions,
  type DatabaseTransaction,
  isDatabaseUnavailable,
  openDatabase,
  type Queryable,
} from './postgres/database.js';
export { watchRows, type WatchedRows } from './postgres/watch-rows.js';
export type { Listening } from './postgres/listen.js';
export { migrate, missingMigrations } from './postgres/migrate.js';
export type { SchemaDirectory } from './postgres/schema-files.js';
export { verifySchema, type VerifiedSchema } from './postgres/verify-schema.js';
export { type BackgroundLoop, startLoop } from './lifecycle/background-loop.js';
export { type ReadyMessage, runProcess } from './lifecycle/run-process.js';
export { verifyNetwork } from './lifecycle/verify-network.js';
export { type RunningService, stopInOrder } from './lifecycle/running-service.js';
