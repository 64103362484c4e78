import { runMigrations } from '@agent-wallet/platform/migrations';
import { swapMigrations } from './migrations.js';

await runMigrations(swapMigrations);
