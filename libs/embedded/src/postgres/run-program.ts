import { execFile } from 'node:child_process';
import type { Account } from './account.js';

/** Runs a program of Postgres as an account until it ends. `said`: what went wrong, in its words where it has any. */
export function runProgram(
  program: string,
  args: readonly string[],
  account: Account,
): Promise<{ readonly isDone: boolean; readonly said: string }> {
  const options = { ...account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, _, stderr) =>
      resolve({ isDone: error === null, said: stderr.trim() || (error?.message ?? '') }),
    );
  });
}
