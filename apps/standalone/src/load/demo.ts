import { parseArgs } from 'node:util';
import { SandboxClient } from '../client/sandbox-client.js';
import { playDay } from '../demo/day.js';

// The demo's day at a deployment that is there already and has a sandbox.
const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'http://127.0.0.1:8080' },
    admin: { type: 'string', default: 'http://127.0.0.1:8905' },
  },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
await playDay({ baseUrl: values.api, sandbox: new SandboxClient(values.admin), say }).then(
  () => say('everything was as it should be'),
  (error: unknown) => {
    say(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
