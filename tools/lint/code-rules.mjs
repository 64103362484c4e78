// Runs the rules of .oxlintrc.json, by oxlint and the native compiler. tools/lint/code-canary.mjs breaks each of them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { installed, root, run } from '../running/process.mjs';

/** Lints the code in folders. Throws with all that breaks a rule. */
export async function lintCode(folders) {
  const broken = await codeProblems(folders);
  if (broken.length > 0)
    throw new Error(broken.map(({ rule, place, message }) => `${place} ${rule}: ${message}`).join('\n'));
}

/**
 * Returns what breaks a rule of the folder's .oxlintrc.json: `{ rule, file, place, message }` each. Throws when oxlint
 * fails to run.
 */
export async function codeProblems(folders, { cwd = root } = {}) {
  const options = ['--type-aware', '--config', '.oxlintrc.json', '--format', 'json'];
  const { code, output } = await run([...installed('oxlint'), ...options, ...folders], { cwd, capture: true });
  const found = parseReport(output);
  if (!found || (code !== 0 && found.diagnostics.length === 0) || found.number_of_files === 0) throw new Error(output);
  return found.diagnostics.filter((each) => !isWaitedFor(each, cwd)).map(problemOf);
}

function parseReport(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

/** Whether a promise is returned to `finally`, which waits for it, although its type says `void`. */
function isWaitedFor({ code, filename, labels }, cwd) {
  if (code !== 'typescript(no-misused-promises)') return false;
  const source = readFileSync(path.join(cwd, filename)).subarray(0, labels[0].span.offset).toString();
  return /\.finally\(\s*\(\)\s*$/.test(source); // what it names begins at the arrow
}

/** Names the rule as .oxlintrc.json does: oxlint reports `typescript(await-thenable)` and `eslint(eqeqeq)`. */
function problemOf({ code = 'error', filename, labels, message }) {
  const rule = code.replace(/^eslint\((.+)\)$/, '$1').replace(/^(.+)\((.+)\)$/, '$1/$2');
  return { rule, file: filename, place: `${filename}:${labels[0]?.span.line ?? 1}`, message };
}
