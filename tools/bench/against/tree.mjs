// Another commit of this repository, checked out and built beside this tree.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { closing } from '../../measuring/closing.mjs';
import { root, run } from '../../running/process.mjs';

/** This tree, as it lies here: what is not committed counts. */
export const here = { name: 'this tree', directory: root };

/** Checks a commit out into its own folder, which is removed when the run ends. @throws Error when the commit is unknown */
export async function checkOut(commit) {
  const named = await git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`).catch(() => undefined);
  if (!named) throw new Error(`There is no commit ${commit}.`);
  const name = await git('log', '-1', '--format=%h %s', named);
  const parent = await mkdtemp(path.join(os.tmpdir(), 'bench-against-'));
  const directory = path.join(parent, 'tree');
  closing(directory, async () => {
    // Without Git's own record of it, too: a folder that is gone is pruned.
    await rm(parent, { recursive: true, force: true });
    await git('worktree', 'prune');
  });
  console.log(`checking out ${name} …`);
  await git('worktree', 'add', '--detach', directory, named);
  await install(directory);
  return { name, directory };
}

/** Builds and bundles a tree by its own tools. */
export async function prepare({ name, directory }) {
  console.log(`building ${name} …`);
  await inTree(directory, [process.execPath, 'tools/build.mjs']);
  for (const which of [[], ['standalone']]) await inTree(directory, [process.execPath, 'tools/bundle.mjs', ...which]);
}

/** The command of a script of its package.json, which starts Node. */
export async function commandOf({ directory }, script) {
  const { scripts } = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  const [program, ...args] = (scripts[script] ?? '').split(' ');
  if (program !== 'node') throw new Error(`npm run ${script} of that commit does not run a Node program.`);
  return [process.execPath, ...args];
}

/** Links packages that this tree has in the same versions; installs otherwise. */
async function install(directory) {
  const [ours, theirs] = await Promise.all([root, directory].map(readLock));
  if (isSame(packagesOf(ours), packagesOf(theirs))) return link(directory, theirs);
  console.log('its package-lock.json differs: installing (npm ci) …');
  await inTree(directory, ['npm', 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
}

async function readLock(directory) {
  return Object.entries(JSON.parse(await readFile(path.join(directory, 'package-lock.json'), 'utf8')).packages);
}

/** What is installed from a registry: workspaces are the commit's own. */
export function packagesOf(lock) {
  return lock.filter(([place, { link: isLink }]) => place.includes('node_modules/') && !isLink);
}

function isSame(some, others) {
  const text = (packages) => JSON.stringify(packages.map(([place, { integrity }]) => [place, integrity]));
  return text(some) === text(others);
}

/** Links every package one by one: a link to the whole folder would lead workspaces back to this tree. */
async function link(directory, lock) {
  const places = ['', ...new Set(packagesOf(lock).map(([place]) => place.split('node_modules/')[0]))];
  for (const place of new Set(places)) {
    const [from, to] = [root, directory].map((tree) => path.join(tree, place, 'node_modules'));
    if (existsSync(from)) await linkFolder(from, to);
  }
}

/** A link that is relative leads to a workspace, and stays relative. */
async function linkFolder(from, to) {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.name.startsWith('@')) await linkFolder(source, target);
    else await symlink(source, target);
  }
}

async function git(...args) {
  const { code, output } = await run(['git', ...args], { capture: true });
  if (code !== 0) throw new Error(`git ${args[0]}: ${output}`);
  return output.trim();
}

/** Quiet unless it fails. */
async function inTree(cwd, command) {
  const { code, output } = await run(command, { cwd, capture: true });
  if (code !== 0) throw new Error(`${command.slice(1).join(' ')} failed in ${cwd}:\n${output}`);
}
