import { runAttest } from './attest/run-attest.js';

process.exitCode = await runAttest(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
