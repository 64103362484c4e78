// On which code a result was measured, for the pages that keep results.
import { run } from '../running/process.mjs';

/** One sentence: day and commit, with `-dirty` where files differ from it. */
export async function measuredOn(at) {
  const { code, output } = await run(['git', 'describe', '--always', '--dirty', '--exclude=*'], { capture: true });
  const commit = code === 0 ? `commit \`${output.trim()}\`` : 'a copy without git';
  return `Measured on ${at.toISOString().slice(0, 10)}, ${commit}.`;
}
