import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Things that must not be readable anywhere, by what they are. */
export type Marked = ReadonlyMap<string, string>;

/** A text that occurs nowhere by chance. */
export function mark(what: string): string {
  return `${what}${randomBytes(9).toString('hex')}`;
}

/** The secrets that a deployment made up in its folder, in the forms in which they might be printed. */
export async function secretsIn(dataDir: string): Promise<Map<string, string>> {
  const text = (...names: string[]) => readFile(path.join(dataDir, ...names), 'utf8');
  const found = new Map<string, string>();
  const passwords = JSON.parse(await text('postgres', 'passwords.json')) as Record<string, string>;
  for (const [role, password] of Object.entries(passwords)) found.set(`password of ${role}`, password);
  for (const folder of ['permit-keys', 'jwt-keys']) {
    found.set(`key in ${folder}`, bodyOf(await text('secrets', folder, '0001.pem')));
  }
  found.set("exchange's key", bodyOf(await text('secrets', 'sandbox-exchange', 'private.pem')));
  found.set('pepper', await text('secrets', 'otp-pepper'));
  const rootKey = await readFile(path.join(dataDir, 'vault', 'root-key'));
  for (const form of ['hex', 'base64'] as const) found.set(`vault's key as ${form}`, rootKey.toString(form));
  return found;
}

/** A line of a PEM's body: the second, for the first may be the same in every key of a kind. */
function bodyOf(pem: string): string {
  const lines = pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  return (lines[1] ?? lines[0]!).slice(-40);
}

/** Which of them occur in a text. A login code is six digits: it must stand alone. */
export function foundIn(text: string, marked: Marked): string[] {
  return [...marked].flatMap(([what, secret]) => {
    const isThere = /^\d{6}$/.test(secret)
      ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(text)
      : text.includes(secret);
    return isThere ? [what] : [];
  });
}
