import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { readPeggedTokens } from './pegged-tokens.js';

const [USDC, USDT] = ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'];
const directory = mkdtempSync(path.join(tmpdir(), 'pegged-'));
const file = path.join(directory, 'tokens');
afterAll(() => rmSync(directory, { recursive: true }));

function read(text: string) {
  writeFileSync(file, text);
  return z.string().transform(readPeggedTokens).safeParse(file);
}

describe('a file of pegged tokens', () => {
  it('has one token a line, without comments and blanks', () => {
    const { data } = read(`# stable coins\r\n\n ${USDC} 6 # Circle\r\n${USDT}\t255`);
    expect([...data!]).toEqual([
      [USDC, 6],
      [USDT, 255],
    ]);
    expect(read('# none yet\n').data).toEqual(new Map());
  });

  it.each([
    ['has no decimals', USDC],
    ['has another field', `${USDC} 6 USDC`],
    ['has too many decimals', `${USDC} 256`],
    ['has decimals that are no number', `${USDC} six`],
    ['has no address', `${USDC.slice(1)}0 6`],
  ])('is wrong where a line %s, and names it', (_, line) => {
    const { error } = read(`${USDT} 6\n${line}\n`);
    expect(error!.issues).toMatchObject([{ message: 'line 2 is not `<mint> <decimals>`' }]);
  });

  it('is wrong where it names a mint twice, or is not there', () => {
    expect(read(`${USDC} 6\n\n${USDC} 9`).error!.issues).toMatchObject([
      { message: 'line 3 names a mint a second time' },
    ]);
    const missing = z.string().transform(readPeggedTokens).safeParse(path.join(directory, 'missing'));
    expect(missing.error!.issues[0]!.message).toContain('ENOENT');
  });
});
