// ADR 21: Prisma takes one row by its key, and a schema says only what its client uses.
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../running/process.mjs';

/** One row, by its key. `deleteMany` is a delete that finds nothing without an error; `createMany` an insert that finds the row. */
const BY_KEY = ['create', 'createMany', 'deleteMany', 'findUnique', 'findUniqueOrThrow', 'update'];

const CALL = /\bprisma\.(\$?\w+)(?:\s*\.(\w+)\()?/g;

/** Services with a client, with what its schema has and what is called on it. */
const clients = readdirSync(path.join(root, 'apps'))
  .map((app) => path.join(root, 'apps', app))
  .flatMap((folder) => {
    const schema = readIfThere(path.join(folder, 'prisma', 'schema.prisma'));
    return schema === undefined
      ? []
      : [{ app: path.basename(folder), schema, calls: callsIn(path.join(folder, 'src')) }];
  });

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function callsIn(src) {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /(?<!\.spec)\.ts$/.test(file) && !file.startsWith('generated'))
    .flatMap((file) => [...readFileSync(path.join(src, file), 'utf8').matchAll(CALL)])
    .map(([, model, method]) => ({ model, method }));
}

describe('Prisma', () => {
  it('has a client where agents are set up, and nowhere else', () => {
    expect(clients.map(({ app }) => app)).toEqual(['gateway', 'wallet']);
  });

  it.each(clients)('in $app takes rows by their key, and never SQL or a transaction', ({ calls }) => {
    const ofModels = calls.filter(({ model }) => model !== '$disconnect');
    expect(ofModels.filter(({ method }) => !BY_KEY.includes(method))).toEqual([]);
  });

  it.each(clients)('in $app has the models that are used', ({ schema, calls }) => {
    const models = [...schema.matchAll(/^model (\w+)/gm)].map(([, name]) => name[0].toLowerCase() + name.slice(1));
    const used = calls.map(({ model }) => model).filter((model) => !model.startsWith('$'));
    expect([...new Set(used)].sort()).toEqual(models.sort());
  });
});
