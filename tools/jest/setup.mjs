import { build } from '../build.mjs';

/** Tests that start processes run what is built: bring it up to date for every caller of Jest. */
export default async function setup() {
  await build();
}
