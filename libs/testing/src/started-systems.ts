import { appendFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Notes that a complete system of services started, so that `npm test` can count them. It does nothing outside of a run
 * that names a file for it.
 *
 * @param what names the system and its starter, such as `deployment` or `npm start`
 */
export function noteStartedSystem(what: string): void {
  const file = process.env['STARTED_SYSTEMS_PATH'];
  if (!file) return;
  const starter = path.relative(process.cwd(), process.env['RUNNING_TEST_FILE'] ?? '');
  appendFileSync(file, `${what}: ${starter}\n`);
}
