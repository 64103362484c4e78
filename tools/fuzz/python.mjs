// The fuzzer's own Python packages, in a folder of their own.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from '../process.mjs';

const REQUIREMENTS = path.join(import.meta.dirname, 'requirements.txt');
/** What requirements.txt was resolved for. */
const OLDEST = [3, 11];

/** The Python that can run the fuzzer; undefined when there is none. */
export async function findPython() {
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

/** Installs what requirements.txt names, checked by hash, unless it is there. @returns the program `schemathesis` */
export async function installFuzzer() {
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const folder = path.join(root, 'node_modules', '.cache', `fuzz-${wanted}`);
  const program = path.join(folder, 'bin', 'schemathesis');
  const mark = path.join(folder, 'complete');
  if (existsSync(mark)) return program;
  const python = await findPython();
  if (!python) throw new Error(`Python ${OLDEST.join('.')} or newer with venv is needed.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  await succeed([python, '-m', 'venv', folder]);
  await succeed([
    path.join(folder, 'bin', 'python'),
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '-r', REQUIREMENTS],
  ]);
  writeFileSync(mark, '');
  return program;
}

async function succeed(command) {
  const { code, output } = await run(command, { capture: true });
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output}`);
}
