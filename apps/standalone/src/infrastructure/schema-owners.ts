import type { SchemaOwner } from '@agent-wallet/embedded';
import type { Secret } from '@agent-wallet/kernel';
import { OWNED_APART, SERVICES } from './infrastructure.js';

/** Returns the schemas of all services with their owners, by the given passwords. The event log's is not among them. */
export async function schemaOwners(passwordOf: (role: string) => Promise<Secret<string>>): Promise<SchemaOwner[]> {
  const login = async (role: string) => ({ role, password: await passwordOf(role) });
  return Promise.all(
    SERVICES.map(async (schema) =>
      (OWNED_APART as readonly string[]).includes(schema)
        ? { schema, ...(await login(`${schema}_owner`)), user: await login(schema) }
        : { schema, ...(await login(schema)) },
    ),
  );
}
