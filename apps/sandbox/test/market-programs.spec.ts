import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SPL_PROGRAMS } from '../src/chain/spl-programs.js';

const PROGRAMS = path.join(import.meta.dirname, '..', 'programs');

describe('the chain programs', () => {
  const recorded = readFileSync(path.join(PROGRAMS, 'programs.sha256'), 'utf8').trim().split('\n');

  it('are recorded with their sources', () => {
    const names = recorded.map((line) => line.split('  ')[1]);
    const sources = ['aggregator.c', 'cpmm.c', 'order-engine.c', 'sandbox-program.h'];
    const library = SPL_PROGRAMS.map(({ name, version }) => `agave/${name}-${version}.so`).sort();
    expect(names).toEqual([...sources, 'aggregator.so', 'cpmm.so', 'order-engine.so', ...library]);
  });

  it.each(recorded.map((line) => line.split('  ') as [string, string]))('%s is the checksum of %s', (sum, name) => {
    expect(
      createHash('sha256')
        .update(readFileSync(path.join(PROGRAMS, name)))
        .digest('hex'),
    ).toBe(sum);
  });
});
