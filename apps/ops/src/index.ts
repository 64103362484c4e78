export { type Print, runOps } from './run-ops.js';
export { OPS_FILE } from './settings.js';
