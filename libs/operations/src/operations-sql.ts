import { fileURLToPath } from 'node:url';

/** The tables of this library. A service copies the file into its first migration, beside its `outbox`. */
export const OPERATIONS_SQL_PATH = fileURLToPath(new URL('../sql/operations.sql', import.meta.url));
