import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** Files that run; source maps and type declarations beside them do not. */
const CODE = /(?<!\.d)\.(js|ts|mjs|cjs|json)$/;

/**
 * Computes the digest of a program. For one file, as services are bundled, it equals the output of `sha256sum`. For a
 * folder it is SHA-256 over `path ‖ 0 ‖ SHA-256 of the file` of every file of code below it, by path.
 */
export async function buildDigest(program: string): Promise<Buffer> {
  if (!(await stat(program)).isDirectory()) return digestOfFile(program);
  const names = (await readdir(program, { recursive: true })).filter((name) => CODE.test(name)).sort();
  const hash = createHash('sha256');
  for (const name of names) {
    const digest = await digestOfFile(path.join(program, name));
    hash.update(`${name.split(path.sep).join('/')}\0`).update(digest);
  }
  return hash.digest();
}

async function digestOfFile(file: string): Promise<Buffer> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest();
}
