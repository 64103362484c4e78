import { fileURLToPath } from 'node:url';

/** The schema `events` of the Postgres event stream, and where its SQL lies. */
export const EVENT_LOG_MIGRATIONS = {
  schema: 'events',
  directory: fileURLToPath(new URL('../../db/log', import.meta.url)),
} as const;

/** The directory of the table `outbox`, for the schema of a service that publishes. */
export const OUTBOX_DIRECTORY = fileURLToPath(new URL('../../db/outbox', import.meta.url));

/** The channel on which consumers of the same database are notified of appended events. */
export const APPENDED_CHANNEL = 'agentwallet_events_appended';

/** Returns SQL that lets a service's role publish. The role is a name from our code, never input. */
export function grantPublish(role: string): string {
  return `select events.let_publish('${role}');`;
}

/** Returns SQL that lets a service's role read the stream, and nothing else. */
export function grantRead(role: string): string {
  return `select events.let_read('${role}');`;
}

/** Returns SQL that lets a service's role read the stream, and delete old events that it has read. */
export function grantConsume(role: string): string {
  return `select events.let_consume('${role}');`;
}
