import { runKeys } from './keys/run-keys.js';

process.exitCode = await runKeys(process.argv.slice(2), process.env, (line) => process.stdout.write(`${line}\n`));
