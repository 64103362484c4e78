import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ALLOWED } from './harness/allowed-callers.js';
import { RPC } from './harness/impostor.js';

const PAGE = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');

describe('the picture of the architecture', () => {
  it('shows exactly the calls that services allow', () => {
    const drawn = [...PAGE.matchAll(/^ *(\w+) -->\|gRPC\| (\w+)$/gm)].map(([, from, to]) => `${from} calls ${to}`);
    const allowed = (Object.keys(RPC) as Array<keyof typeof RPC>).flatMap((target) =>
      Object.values(ALLOWED[target]).flatMap((callers) =>
        callers.map((from) => `${from} calls ${RPC[target].service}`),
      ),
    );
    expect(drawn.sort()).toEqual([...new Set(allowed)].sort());
  });
});
