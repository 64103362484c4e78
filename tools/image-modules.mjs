#!/usr/bin/env node
// Copies installed packages and everything that they depend on to another folder, for an image that holds nothing else:
// `node tools/image-modules.mjs <folder> <package>...`; `--dependencies` stands for all that package.json needs at run time.
import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isMain, root } from './running/process.mjs';

const MODULES = 'node_modules';

/** What people read and compilers use. */
const NOT_RUN = /\.(map|d\.[cm]?ts)$/;

/** Where Node finds a package that is required from a folder; undefined when it is not installed. */
function find(name, from) {
  for (let folder = from; folder.startsWith(root); folder = path.dirname(folder)) {
    const found = path.join(folder, MODULES, name);
    if (existsSync(path.join(found, 'package.json'))) return found;
  }
  return undefined;
}

/** The folders of packages and of all that they need. Throws when one is missing that is not optional. */
export function closure(names, from = root, found = new Set()) {
  for (const [name, isOptional] of names) {
    const folder = name.startsWith('@types/') ? undefined : find(name, from);
    if (!folder && !isOptional && !name.startsWith('@types/')) throw new Error(`${name} is not installed`);
    if (!folder || found.has(folder)) continue;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(path.join(folder, 'package.json'), 'utf8'),
    );
    const needed = Object.keys(dependencies).map((each) => [each, each in optionalDependencies]);
    closure([...needed, ...Object.keys(optionalDependencies).map((each) => [each, true])], folder, found);
  }
  return found;
}

/** What package.json needs at run time. */
function ownDependencies() {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return [
    ...Object.keys(dependencies).map((name) => [name, false]),
    ...Object.keys(optionalDependencies).map((name) => [name, true]),
  ];
}

function copy(folder, target) {
  // A package of this repository is a link in node_modules.
  const real = realpathSync(folder);
  cpSync(real, path.join(target, path.relative(path.join(root, MODULES), folder)), {
    recursive: true,
    // Packages inside of it that are needed come by themselves.
    filter: (file) => !NOT_RUN.test(file) && !path.relative(real, file).split(path.sep).includes(MODULES),
  });
}

if (isMain(import.meta)) {
  const [target, ...names] = process.argv.slice(2);
  const wanted = names.flatMap((name) => (name === '--dependencies' ? ownDependencies() : [[name, false]]));
  for (const folder of closure(wanted)) copy(folder, target);
}
