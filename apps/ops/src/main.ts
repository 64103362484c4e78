import { runOps } from './run-ops.js';

process.exitCode = await runOps(process.argv.slice(2), process.env, (line) => process.stdout.write(`${line}\n`));
