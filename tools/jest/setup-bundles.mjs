import { build } from '../build.mjs';
import { bundle, isBundled } from '../bundle.mjs';

/** For tests that start many services as processes: bundled, one starts with a third of the CPU. */
export default async function setup() {
  await build();
  if (!(await isBundled())) await bundle();
}
