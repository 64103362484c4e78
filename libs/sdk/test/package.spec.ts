import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const run = promisify(execFile);
const SDK = path.join(import.meta.dirname, '..');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sdk-package-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the SDK in a browser', () => {
  it('is at most 25 kB, compressed, and needs nothing of Node.js', async () => {
    const { outputFiles } = await build({
      entryPoints: [path.join(SDK, 'src', 'index.ts')],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(25_000);
  });
});

describe('the package of the SDK', () => {
  it('installs into an empty folder, with its types, and runs there', async () => {
    await run('node', ['../../tools/build.mjs', 'libs/sdk'], { cwd: SDK });
    await run('npx', ['tsc', '-p', 'tsconfig.types.json'], { cwd: SDK });
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: SDK });
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${stdout.trim()}`], { cwd: folder });
    const program = `
      import { AgentWallet, type Amount, isApiError, StillOpenError } from '@agent-wallet/sdk';
      import { FileStore } from '@agent-wallet/sdk/node';
      const amount: Amount = '1.5';
      // @ts-expect-error A number is not an amount.
      const wrong: Amount = 1.5;
      const wallet = new AgentWallet({ baseUrl: 'http://localhost', store: new FileStore('keys') }, 'token');
      export const pay = () => wallet.transfer({ to: 'a', amount }).then(({ signature }) => signature);
      console.log(typeof isApiError, StillOpenError.name, typeof wrong);
    `;
    await writeFile(path.join(folder, 'program.ts'), program);
    const options = [
      '--ignoreConfig',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
    ];
    await run(
      'npx',
      [
        'tsc',
        ...options,
        '--types',
        'node',
        '--typeRoots',
        path.join(SDK, '../../node_modules/@types'),
        path.join(folder, 'program.ts'),
      ],
      { cwd: SDK },
    );
    expect((await run('node', ['program.js'], { cwd: folder })).stdout).toBe('function StillOpenError number\n');
  }, 120_000);
});
