import type { TestHsm } from '@agent-wallet/testing';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Pkcs11Choice } from '../../src/adapters/vaults/pkcs11/index.js';

/** What is built: Node runs it without a transpiler. */
const DRIVER = pathToFileURL(
  path.join(import.meta.dirname, '..', '..', 'dist', 'adapters', 'vaults', 'pkcs11', 'index.js'),
).href;

/** Opens a vault in a process of its own and resolves to what an expression of `vault`, `choice` and `input` gives. */
export async function inProcess(
  hsm: Pick<TestHsm, 'environment'>,
  choice: Pkcs11Choice,
  expression: string,
  { input = '' }: { readonly input?: string } = {},
): Promise<string> {
  const program = `
    const { openPkcs11Vault } = await import(${JSON.stringify(DRIVER)});
    const [choice, input] = ${JSON.stringify([choice, input])};
    const vault = await openPkcs11Vault(choice, { info() {}, warn() {} });
    process.stdout.write(String(${expression}));
    await vault.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, ...hsm.environment },
  });
  return stdout;
}
