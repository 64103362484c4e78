export { freePort, freePorts } from './free-ports.js';
export type { PostgresConnection } from './postgres/connection.js';
export type { RestartLog } from './postgres/keep-running.js';
export { DataDirectoryInUse } from './postgres/ownership.js';
export {
  createDatabase,
  createRolesIn,
  createSchemas,
  createServiceRoles,
  type LoginRole,
  type RoleConnections,
  type RoleName,
  type RolesWanted,
  type SchemaOwner,
} from './postgres/roles.js';
export type { Durability } from './postgres/launch.js';
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './postgres/start.js';
export { type CertificatePaths, createCertificates } from './certificates/create-certificates.js';
