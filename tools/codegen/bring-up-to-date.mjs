// Keeps a folder of generated files as its inputs want it. The stamp in the folder is written last, and names both by
// their hashes: a run that was interrupted, an edit, or a missing file makes the folder stale.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const STAMP = '.stamp.json';

/** Files that are being written carry the writer's process id. */
const BEING_WRITTEN = /\.\d+$/;

/**
 * @typedef {object} Output
 * @property {string} folder holds what is generated and nothing else; relative to the workspace, as are the inputs
 * @property {readonly string[]} inputs files and folders that the output is made of, the generator's own code included
 * @property {(draft: string) => Promise<void>} make writes the folder below another root
 */

/**
 * Generates when the folder is not what its inputs make. Processes may do so at the same time: each writes whole files,
 * and only those that differ, so that a build or a test that reads them is not disturbed.
 * @param {Output} output
 * @returns whether anything was generated
 * @throws Error of `make`; the folder is then as it was
 */
export async function bringUpToDate(root, { folder, inputs, make }) {
  const target = path.join(root, folder);
  const wanted = hashOf(root, inputs);
  if (isFresh(target, wanted)) return false;
  const draft = mkdtempSync(path.join(os.tmpdir(), 'generated-'));
  try {
    await make(draft);
    install(path.join(draft, folder), target, wanted);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}

function isFresh(target, wanted) {
  const stamp = path.join(target, STAMP);
  if (!existsSync(stamp)) return false;
  const { inputs, outputs } = JSON.parse(readFileSync(stamp, 'utf8'));
  return inputs === wanted && outputs === hashOf(target, filesIn(target));
}

function install(draft, target, inputs) {
  const files = filesIn(draft);
  const stamp = path.join(target, STAMP);
  // From here to the end the folder counts as stale.
  rmSync(stamp, { force: true });
  for (const file of files) writeWhole(path.join(target, file), readFileSync(path.join(draft, file)));
  for (const file of filesIn(target).filter((each) => !files.includes(each))) {
    rmSync(path.join(target, file), { force: true });
  }
  writeWhole(stamp, Buffer.from(JSON.stringify({ inputs, outputs: hashOf(draft, files) })));
}

function writeWhole(file, content) {
  if (existsSync(file) && readFileSync(file).equals(content)) return;
  const draft = `${file}.${process.pid}`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(draft, content);
  renameSync(draft, file);
}

/** The files below a folder, without its stamp, in an order that is always the same. */
function filesIn(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== STAMP && !BEING_WRITTEN.test(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** One hash of the names and contents of files, and of all files in folders. */
function hashOf(root, places) {
  const hash = createHash('sha256');
  for (const place of places) {
    const isFolder = statSync(path.join(root, place)).isDirectory();
    const files = isFolder ? filesIn(path.join(root, place)).map((file) => path.join(place, file)) : [place];
    for (const file of files) {
      const content = readFileSync(path.join(root, file));
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}
