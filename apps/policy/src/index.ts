export { type PolicySettings, policySettings } from './settings.js';
export { type PolicyOverrides, startPolicy } from './start.js';
export { policyMigrations } from './migrations.js';
