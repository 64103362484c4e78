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

/** Compiles programs in the folder strictly, as a project of their own. Returns what the compiler reports. */
async function compile(...files: string[]): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, module: 'nodenext', target: 'es2022' },
    ...{ types: ['node'], typeRoots: [path.join(SDK, '..', '..', 'node_modules', '@types')] },
  };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiled = await run('npx', ['tsc', '-p', folder], { cwd: SDK }).catch((error: { stdout: string }) => error);
  return compiled.stdout;
}

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
      import { walletTools } from '@agent-wallet/sdk/tools';
      const amount: Amount = '1.5';
      const wallet = new AgentWallet({ baseUrl: 'http://localhost', store: new FileStore('keys') }, 'token');
      export const pay = () => wallet.transfer({ to: 'a', amount }).then(({ signature }) => signature);
      console.log(typeof isApiError, StillOpenError.name, walletTools(wallet, { only: ['trade'] }).length);
    `;
    await writeFile(path.join(folder, 'program.ts'), program);
    const wrong = "import type { Amount } from '@agent-wallet/sdk';\nexport const amount: Amount = 1.5;";
    await writeFile(path.join(folder, 'wrong.ts'), wrong);
    expect(await compile('program.ts', 'wrong.ts')).toMatch(/^\S*wrong\.ts\(2,14\): error TS2322: .*\n$/);
    expect((await run('node', ['program.js'], { cwd: folder })).stdout).toBe('function StillOpenError 1\n');
  });
});
