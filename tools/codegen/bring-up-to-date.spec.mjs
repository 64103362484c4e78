import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bringUpToDate } from './bring-up-to-date.mjs';

const FOLDER = 'libs/client/src/generated';

let root;
let made;

const at = (file) => path.join(root, file);
const write = (file, text) => {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
};
const read = (file) => readFileSync(at(file), 'utf8');

/** Makes a module of each proto that it is given. */
async function makeModules(draft, names = ['a', 'b']) {
  made += 1;
  for (const name of names) {
    const file = path.join(draft, FOLDER, 'v1', `${name}.ts`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `made of ${read(`proto/${name}.proto`)}`);
  }
}

const output = (make = makeModules) => ({ folder: FOLDER, inputs: ['recipe', 'proto'], make });
const update = (make) => bringUpToDate(root, output(make));

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'workspace-'));
  made = 0;
  write('recipe', 'version 1');
  write('proto/a.proto', 'a');
  write('proto/b.proto', 'b');
});

afterEach(() => rmSync(root, { recursive: true }));

describe('a generated folder', () => {
  it('is made once, and not again while nothing changes', async () => {
    expect(await update()).toBe(true);
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of a');
    expect(await update()).toBe(false);
    expect(made).toBe(1);
  });

  it.each([
    ['a proto says something else', () => write('proto/a.proto', 'another a')],
    ['there is one proto more', () => write('proto/c.proto', 'c')],
    ['a proto has another name', () => cpSync(at('proto/a.proto'), at('proto/d.proto'))],
    ['the recipe changes', () => write('recipe', 'version 2')],
    ['a file of it is missing', () => rmSync(at(`${FOLDER}/v1/a.ts`))],
    ['a file of it was edited', () => write(`${FOLDER}/v1/a.ts`, 'edited')],
    ['a file was added to it', () => write(`${FOLDER}/v1/z.ts`, 'added')],
    ['all of it is missing', () => rmSync(at(FOLDER), { recursive: true })],
  ])('is made again when %s', async (_, change) => {
    await update();
    change();
    expect(await update()).toBe(true);
    expect(read(`${FOLDER}/v1/a.ts`)).toBe(`made of ${read('proto/a.proto')}`);
    expect(existsSync(at(`${FOLDER}/v1/z.ts`))).toBe(false);
    expect(await update()).toBe(false);
  });

  it('is not replaced by nothing', async () => {
    await update();
    write('proto/a.proto', 'another a');
    await expect(update(async () => undefined)).rejects.toThrow('nothing was generated');
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of a');
  });

  it('loses what its inputs make no longer, and keeps what is as it was, with its time', async () => {
    await update();
    const { mtimeMs } = statSync(at(`${FOLDER}/v1/a.ts`));
    rmSync(at('proto/b.proto'));
    await update((draft) => makeModules(draft, ['a']));
    expect(existsSync(at(`${FOLDER}/v1/b.ts`))).toBe(false);
    expect(statSync(at(`${FOLDER}/v1/a.ts`)).mtimeMs).toBe(mtimeMs);
  });
});

describe('a generated folder, after trouble,', () => {
  it('stays as it was when a generator fails, and is made at the next run', async () => {
    await update();
    write('proto/a.proto', 'another a');
    const failing = async (draft) => {
      await makeModules(draft, ['a']);
      throw new Error('buf says no');
    };
    await expect(update(failing)).rejects.toThrow('buf says no');
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of a');
    expect(await update()).toBe(true);
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of another a');
  });

  it('is not taken for whole when the process died among its files, even if the inputs are restored', async () => {
    await update();
    write('proto/a.proto', 'another a');
    // Nothing can be written where a folder is: a file before it has changed by then.
    rmSync(at(`${FOLDER}/v1/b.ts`));
    mkdirSync(at(`${FOLDER}/v1/b.ts`));
    await expect(update()).rejects.toThrow('EISDIR');
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of another a');
    rmSync(at(`${FOLDER}/v1/b.ts`), { recursive: true });
    write('proto/a.proto', 'a');
    expect(await update()).toBe(true);
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of a');
  });

  it('is whole after two runs at once', async () => {
    expect(await Promise.all([update(), update()])).toEqual([true, true]);
    expect(read(`${FOLDER}/v1/b.ts`)).toBe('made of b');
    expect(await update()).toBe(false);
  });

  it('is made again after a run that was overtaken by a newer one', async () => {
    const newer = async () => {
      write('proto/a.proto', 'another a');
      await update();
    };
    await update(async (draft) => {
      await makeModules(draft);
      await newer();
    });
    expect(await update()).toBe(true);
    expect(read(`${FOLDER}/v1/a.ts`)).toBe('made of another a');
  });
});
