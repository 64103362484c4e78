import { runCli } from './run-cli.js';
import { surroundingsOf } from './surroundings.js';

process.exitCode = await runCli(process.argv.slice(2), surroundingsOf(process.env));
