#!/usr/bin/env node
// Copies installed packages and everything that they depend on to another folder, for an image that holds nothing else:
// `node tools/image-modules.mjs <folder> <package>...`
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isMain, root } from './process.mjs';

const MODULES = 'node_modules';

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
    const folder = find(name, from);
    if (!folder && !isOptional) throw new Error(`${name} is not installed`);
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

if (isMain(import.meta)) {
  const [target, ...names] = process.argv.slice(2);
  for (const folder of closure(names.map((name) => [name, false]))) {
    const place = path.join(target, path.relative(path.join(root, MODULES), folder));
    // Packages inside of it that are needed come by themselves.
    cpSync(folder, place, {
      recursive: true,
      filter: (file) => !path.relative(folder, file).split(path.sep).includes(MODULES),
    });
  }
}
