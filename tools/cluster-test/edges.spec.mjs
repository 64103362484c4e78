import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { arrowsOf, edgesOf } from './edges.mjs';

const page = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'architecture.md'), 'utf8');

describe('arrows of a picture', () => {
  it('are read with labels, shapes and chains; dashed ones are not', () => {
    const picture =
      '```mermaid\nflowchart LR\n  a -->|gRPC| b\n  a --> c([cloud]) --> d[(db)]\n  a -.->|e| b\n  x([x])\n```';
    expect(arrowsOf(picture)).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['c', 'd'],
    ]);
  });
});

describe('edges of our picture', () => {
  const edges = edgesOf(page);

  it('are those between services, to the upstreams, and to the database', () => {
    for (const each of ['gateway wallet:50051', 'ops signer:50051', 'swap sandbox:8902', 'signer postgres:5432'])
      expect(edges).toContain(each);
  });

  it('let the signer call only its database, and the console alone the admin API', () => {
    expect([...edges].filter((each) => each.startsWith('signer '))).toEqual(['signer postgres:5432']);
    expect([...edges].filter((each) => each.endsWith(':8905'))).toEqual(['console sandbox:8905']);
  });
});
