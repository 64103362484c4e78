export { type PolicySettings, policySettings } from './settings.js';
export type { PolicyOverrides } from './dependencies.js';
export { startPolicy } from './start.js';
export { policyMigrations } from './migrations.js';
