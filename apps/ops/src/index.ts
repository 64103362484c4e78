export { type Print, runOps } from './run-ops.js';
