export {
  type Durability,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type PostgresConnection,
  startEmbeddedPostgres,
} from './postgres/start.js';
export { DataDirectoryInUse } from './postgres/ownership.js';
