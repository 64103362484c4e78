import { runMigrations } from '@agent-wallet/platform/migrations';
import { policyMigrations } from './migrations.js';

await runMigrations(policyMigrations);
