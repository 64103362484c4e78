import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from '../build.mjs';
import { bundle, bundleStandalone, isBundled, STANDALONE } from '../bundle.mjs';
import { root } from '../running/process.mjs';

/** For tests that start many services as processes, or what `npm start` runs: bundled, one starts with a third of the CPU. */
export default async function setup() {
  if (process.env.TEST_LANE === 'text') return; // which starts no process
  await build();
  if (!(await isBundled())) await bundle();
  if (!existsSync(path.join(root, STANDALONE))) await bundleStandalone();
}
