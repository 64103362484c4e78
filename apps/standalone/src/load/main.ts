import { systemClock } from '@agent-wallet/kernel';
import { parseArgs } from 'node:util';
import { runLoad } from './run-load.js';

// Loads a deployment that has a sandbox, and verifies at the end: the cluster test runs it inside a cluster.
const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'http://127.0.0.1:8080' },
    admin: { type: 'string', default: 'http://127.0.0.1:8905' },
    agents: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    'pause-ms': { type: 'string', default: '250' },
    seconds: { type: 'string', default: '60' },
    'stop-file': { type: 'string' },
    'secrets-file': { type: 'string' },
  },
});

const report = (kind: string, fields: object) =>
  void process.stdout.write(`${JSON.stringify({ kind, at: new Date(systemClock.nowMs()), ...fields })}\n`);

const isGood = await runLoad({
  api: values.api,
  admin: values.admin,
  agents: Number(values.agents),
  seed: Number(values.seed),
  pauseMs: Number(values['pause-ms']),
  seconds: Number(values.seconds),
  stopFile: values['stop-file'],
  secretsFile: values['secrets-file'],
  report,
}).catch((error: unknown) => {
  report('failed', { why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  return false;
});
process.exitCode = isGood ? 0 : 1;
