export type { Print } from './print.js';
export { runOps } from './run-ops.js';
export { OPS_FILE } from './settings.js';
