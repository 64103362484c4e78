export { type PolicySettings, policySettings } from './settings.js';
export { type PolicySeams, startPolicy } from './start.js';
export { policyMigrations } from './migrations.js';
