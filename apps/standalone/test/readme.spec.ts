import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { walkthrough } from '../src/walkthrough.js';

const README = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8');

describe('the README', () => {
  it('shows the walk-through that npm start prints', () => {
    expect(README).toContain(walkthrough('http://127.0.0.1:8080', 'http://127.0.0.1:8905'));
  });
});
