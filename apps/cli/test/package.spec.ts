import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '../src/version.js';

const run = promisify(execFile);
const CLI = path.join(import.meta.dirname, '..');
const [SDK, AUDIT] = ['sdk', 'audit'].map((name) => path.join(CLI, '..', '..', 'libs', name)) as [string, string];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cli-package-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function pack(project: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: project });
  return `./${stdout.trim()}`;
}

describe('the package of the command line', () => {
  it('installs into an empty folder, and runs there', async () => {
    await run('node', ['../../tools/build.mjs', 'libs/sdk', 'libs/audit', 'apps/cli'], { cwd: CLI });
    const packages = [await pack(SDK), await pack(AUDIT), await pack(CLI)];
    await writeFile(path.join(folder, 'package.json'), '{}');
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], { cwd: folder });
    const aw = path.join(folder, 'node_modules', '.bin', 'aw');
    expect((await run(aw, ['--version'])).stdout).toBe(`${VERSION}\n`);
    const failed = run(aw, ['balance'], { env: { ...process.env, AW_HOME: path.join(folder, 'home') } });
    await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining('aw login') });
  });
});
