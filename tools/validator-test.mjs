#!/usr/bin/env node
// Drives the product on a real validator of this machine: `npm run validator-test -- --help`.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { run } from './running/process.mjs';

const HELP = `Usage: npm run validator-test [-- --runs N]

Starts solana-test-validator with a new chain and every service with transfers, and drives them: SOL, tokens, Token-2022 with a
fee, memos, new accounts, sponsorship, unwrapped SOL, deposits while the wallet service is away, payments at once against a limit, kills
of services, and a restart of the node. Prints the compute units of each kind of transaction. It takes about five minutes.

  --runs N   how many times, each with a new chain (default 1)
  --help     this text

The program must be on the PATH, or named by VALIDATOR. docs/networks.md says how to build it.`;

const SPEC = 'apps/standalone/test/validator.nightly.spec.ts';

const { values } = parseArgs({ options: { runs: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
try {
  execFileSync(process.env.VALIDATOR || 'solana-test-validator', ['--version'], { stdio: 'inherit' });
} catch {
  console.error('solana-test-validator is not on the PATH. docs/networks.md says how to build it.');
  process.exit(2);
}
const env = { ...process.env, NIGHTLY: '1', REQUIRE_VALIDATOR: '1' };
for (let n = 1; n <= Number(values.runs ?? 1); n += 1) {
  console.log(`Run ${n}`);
  const { code } = await run([process.execPath, 'tools/jest.mjs', SPEC], { env });
  if (code !== 0) process.exit(1);
}
