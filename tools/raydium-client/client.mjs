// Raydium's official client, installed outside the repository. Its licence is GPL-3.0, so it never becomes a dependency.
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { run } from '../running/process.mjs';

export const PACKAGE = '@raydium-io/raydium-sdk-v2';
export const VERSION = '0.2.73-alpha';

const OPTIONS = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs the client in a folder, unless it is there already.
 * @returns the client with the copies of the packages that it uses itself
 */
export async function installClient(folder) {
  await mkdir(folder, { recursive: true });
  const manifest = path.join(folder, 'package.json');
  const require = createRequire(manifest);
  if (!isInstalled(require)) {
    await writeFile(manifest, JSON.stringify({ name: 'raydium-client', private: true }));
    const command = ['npm', 'install', ...OPTIONS, `${PACKAGE}@${VERSION}`];
    const { code, output } = await run(command, { cwd: folder, capture: true });
    if (code !== 0) throw new Error(`npm install failed with exit code ${code}.\n${output}`);
  }
  return {
    sdk: require(PACKAGE),
    web3: require('@solana/web3.js'),
    token: require('@solana/spl-token'),
    BN: require('bn.js'),
  };
}

function isInstalled(require) {
  try {
    return require(`${PACKAGE}/package.json`).version === VERSION;
  } catch {
    return false;
  }
}

/**
 * Opens the client over a connection. It loads no token list and asks nothing of Raydium's API.
 * @param owner a public key, or a key pair for what it is to sign
 */
export async function openClient({ sdk }, connection, owner) {
  const offline = { disableFeatureCheck: true, disableLoadToken: true };
  return sdk.Raydium.load({ connection, owner, cluster: 'mainnet', blockhashCommitment: 'confirmed', ...offline });
}

/** Returns a connection of the client's own kind. It opens no socket before it is asked to. */
export function connectionTo({ web3 }, rpcUrl) {
  return new web3.Connection(rpcUrl, 'confirmed');
}
