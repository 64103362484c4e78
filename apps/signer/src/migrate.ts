import { runMigrations } from '@agent-wallet/platform/migrations';
import { signerMigrations } from './migrations.js';

await runMigrations(signerMigrations);
