import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const README = path.join(import.meta.dirname, '..', '..', '..', 'libs', 'sdk', 'README.md');

it.each(['sdk-example.ts', 'faucet-example.ts', 'tokens-example.ts', 'tools-example.ts'])(
  'shows an example of the SDK that compiles: %s',
  async (file) => {
    const example = await readFile(path.join(import.meta.dirname, 'harness', file), 'utf8');
    expect(await readFile(README, 'utf8')).toContain(example.trim());
  },
);
