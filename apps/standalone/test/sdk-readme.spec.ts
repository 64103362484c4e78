import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

it('shows an example of the SDK that compiles', async () => {
  const example = await readFile(path.join(import.meta.dirname, 'harness', 'sdk-example.ts'), 'utf8');
  expect(
    await readFile(path.join(import.meta.dirname, '..', '..', '..', 'libs', 'sdk', 'README.md'), 'utf8'),
  ).toContain(example.trim());
});
