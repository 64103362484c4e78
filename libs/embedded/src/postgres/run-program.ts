import { execFile } from 'node:child_process';
import type { Account } from './account.js';

/**
 * Runs a program of Postgres as an account until it ends.
 * @throws Error when it cannot be started or fails: its message is what the program wrote to stderr, if it did; the cause
 * has the exit code or the signal
 */
export function runProgram(program: string, args: readonly string[], account: Account): Promise<void> {
  const options = { ...account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, _, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }));
      else resolve();
    });
  });
}
