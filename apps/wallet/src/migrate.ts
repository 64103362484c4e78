import { runMigrations } from '@agent-wallet/platform/migrations';
import { walletMigrations } from './migrations.js';

await runMigrations(walletMigrations);
