import { runMigrations } from '@agent-wallet/platform/migrations';
import { predictionMigrations } from './migrations.js';

await runMigrations(predictionMigrations);
