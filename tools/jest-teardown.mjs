import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

/** Stops the Postgres that the tests share, once nobody uses it. Jest loads this file as it is, hence the build. */
export default async function teardown() {
  const build = spawnSync(process.execPath, [path.join(root, 'tools', 'build.mjs')], { encoding: 'utf8' });
  if (build.status !== 0) throw new Error(`The test database cannot be stopped, for the build fails: ${build.stderr}`);
  const { stopTestServer } = await import('@agent-wallet/testing');
  await stopTestServer();
}
