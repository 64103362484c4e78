import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Returns 32 letters, digits, `-` and `_` of 192 random bits. */
function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Returns the passwords of a data directory by role, kept in `passwords.json` of mode 0600. Missing ones are generated
 * and written before they are returned, so that a role never has a password that is not on disk.
 */
export function passwordsFor<Role extends string>(dataDir: string, roles: readonly Role[]): Record<Role, string> {
  const file = `${dataDir}/passwords.json`;
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  const missing = roles.filter((role) => !Object.hasOwn(known, role));
  for (const role of missing) known[role] = newPassword();
  if (missing.length > 0) {
    writeFileSync(`${file}.draft`, JSON.stringify(known, undefined, 2), { mode: 0o600 });
    renameSync(`${file}.draft`, file);
  }
  return Object.fromEntries(roles.map((role) => [role, known[role]])) as Record<Role, string>;
}
