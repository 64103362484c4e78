import { runMigrations } from '@agent-wallet/platform/migrations';
import { gatewayMigrations } from './migrations.js';

await runMigrations(gatewayMigrations);
