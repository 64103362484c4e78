import { runMigrations } from '@agent-wallet/platform/migrations';
import { historyMigrations } from './migrations.js';

await runMigrations(historyMigrations);
