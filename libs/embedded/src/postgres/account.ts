import { spawnSync } from 'node:child_process';

/** The operating system account that Postgres runs as: empty for the caller's own. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Postgres refuses to run as root, so root drops to one of these existing accounts; none is ever created. */
const UNPRIVILEGED_ACCOUNTS = ['postgres', '_postgres', 'nobody'];

let known: Account | undefined;

/** Returns the account that Postgres runs as here. Throws as root on a system with none of the known accounts. */
export function postgresAccount(): Account {
  // Asked once per process: a large process takes tens of milliseconds to start another.
  return (known ??= findAccount());
}

function findAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of UNPRIVILEGED_ACCOUNTS) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`Postgres cannot run as root, and no account ${UNPRIVILEGED_ACCOUNTS.join(', ')} exists to run it.`);
}

/** Reports whether that account can enter a directory: a home of mode 0700 on the way keeps it out. */
export function canEnter(account: Account, directory: string): boolean {
  if (account.uid === undefined) return true;
  const probe = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...account, cwd: '/' });
  return probe.status === 0;
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  const result = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return result.status === 0 ? Number(result.stdout) : undefined;
}
