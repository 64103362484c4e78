import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { curlWalkthrough, walkthrough } from '../src/walkthrough.js';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

describe('the pages', () => {
  it.each([
    ['README.md', walkthrough],
    ['docs/curl.md', curlWalkthrough],
  ])('show the walk-through that a test runs: %s', (page, commands) => {
    const text = readFileSync(path.join(ROOT, page), 'utf8');
    expect(text).toContain(commands('http://127.0.0.1:8080', 'http://127.0.0.1:8905'));
  });
});
