#!/usr/bin/env node
// Has the browser that the tests of pages drive: `node tools/browser/install.mjs`. Installs Chromium on Debian as root;
// elsewhere it only looks.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isMain, run } from '../running/process.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
const LIMIT_MS = 10 * 60_000;

/** Returns the name of the browser on the PATH, if there is one. */
function browser() {
  return NAMES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** Installs a browser where none is. Throws an error that says what to install. */
async function install() {
  if (browser()) return;
  if (!existsSync('/etc/debian_version') || process.getuid() !== 0) {
    throw new Error('Install Chromium or Chrome (Debian: apt-get install chromium).');
  }
  console.error('Installing chromium (apt-get): once.');
  const options = { capture: true, limitMs: LIMIT_MS, env: { DEBIAN_FRONTEND: 'noninteractive' } };
  for (const command of [
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-qq', '-y', '--no-install-recommends', 'chromium'],
  ]) {
    const { code, output } = await run(command, options);
    if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output.slice(-2_000)}`);
  }
  if (!browser()) throw new Error('Chromium was installed, and does not run.');
}

if (isMain(import.meta)) {
  await install().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
