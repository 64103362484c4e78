// Python packages of a tool, in a folder of their own.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from '../running/process.mjs';

/** What each requirements.txt was resolved for. */
const OLDEST = [3, 11];

/** A Python that the packages run on; undefined when there is none. */
async function findPython() {
  const script = `import sys, venv; sys.exit(0 if sys.version_info >= (${OLDEST.join(', ')}) else 1)`;
  for (const name of ['python3', 'python']) {
    const works = await run([name, '-c', script], { capture: true }).then(
      ({ code }) => code === 0,
      () => false,
    );
    if (works) return name;
  }
  return undefined;
}

/**
 * Installs what a requirements file names, checked by hash, unless it is there.
 * @param {string} name of the folder that it is installed into
 * @param {string} requirements path of the file, as `uv pip compile` writes it
 * @returns {Promise<string>} the folder of the packages' programs
 */
export async function installPackages(name, requirements) {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = path.join(root, 'node_modules', '.cache', `${name}-${wanted}`);
  const programs = path.join(folder, 'bin');
  const mark = path.join(folder, 'complete');
  if (existsSync(mark)) return programs;
  const python = await findPython();
  if (!python) throw new Error(`Python ${OLDEST.join('.')} or newer with venv is needed.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  await succeed([python, '-m', 'venv', folder]);
  await succeed([
    path.join(programs, 'python'),
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '-r', requirements],
  ]);
  writeFileSync(mark, '');
  return programs;
}

async function succeed(command) {
  const { code, output } = await run(command, { capture: true });
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output}`);
}
