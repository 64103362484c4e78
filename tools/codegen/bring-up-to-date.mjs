// Keeps a folder of generated files as its inputs want it. The stamp in the folder has the hash of both. A changed
// input, an interrupted run, an edit or a deleted file makes the folder stale.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const STAMP = '.stamp';

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

function isFresh(target, inputs) {
  try {
    return readFileSync(path.join(target, STAMP), 'utf8') === stampOf(inputs, target);
  } catch (error) {
    // Also when another process puts the folder right at this moment.
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

const stampOf = (inputs, folder) => `inputs ${inputs}\noutputs ${hashOf(folder, filesIn(folder))}\n`;

function install(draft, target, inputs) {
  const files = filesIn(draft);
  if (files.length === 0) throw new Error(`nothing was generated for ${target}`);
  for (const file of files) writeWhole(path.join(target, file), readFileSync(path.join(draft, file)));
  for (const file of filesIn(target).filter((each) => !files.includes(each))) {
    rmSync(path.join(target, file), { force: true });
  }
  // Of the draft, not of the folder: another process may have written there with other inputs.
  writeWhole(path.join(target, STAMP), Buffer.from(stampOf(inputs, draft)));
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
