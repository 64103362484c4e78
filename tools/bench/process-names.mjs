// Which process is which.

const SERVICE = /apps\/(\w+)\/(?:bundle|dist)\/main\.js/;
const BACKEND = /^postgres: (\w+) agent_wallet /;
const POSTGRES = /(^|\/)postgres\b/;

/** The product's processes: services, the sandbox, and Postgres' backends by whom they serve. */
export function productProcess({ commandLine }) {
  const service = SERVICE.exec(commandLine)?.[1];
  if (service) return service;
  if (!POSTGRES.test(commandLine)) return undefined;
  const role = BACKEND.exec(commandLine)?.[1];
  return role && role !== 'postgres' ? `postgres for ${role}` : 'postgres itself';
}
