import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ALLOWED } from './harness/allowed-callers.js';

const PAGE = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');

describe('the picture of the architecture', () => {
  it('shows exactly the calls that services allow', () => {
    const drawn = [...PAGE.matchAll(/^ *(\w+) -->\|gRPC\| (\w+)$/gm)].map(([, from, to]) => `${from} calls ${to}`);
    const allowed = Object.entries(ALLOWED).flatMap(([to, methods]) =>
      Object.values(methods).flatMap((callers) => callers.map((from) => `${from} calls ${to}`)),
    );
    expect(drawn.sort()).toEqual([...new Set(allowed)].sort());
  });
});
