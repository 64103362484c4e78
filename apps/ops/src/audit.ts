import { runAudit } from './audit/run-audit.js';

process.exitCode = await runAudit(process.argv.slice(2), undefined, (line) => process.stdout.write(`${line}\n`));
