import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import decodeQR from 'qr/decode.js';
import { OwnProgram } from './own-program.js';
import { done, type Request } from './scripted-api.js';

const ADDRESS = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const REQUEST = `solana:${ADDRESS}?amount=12.5&spl-token=${MINT}`;
const TERMINAL = { columns: 80, env: { LANG: 'en_US.UTF-8' } };
const BLOCK = /[█▀▄]/;

let program: OwnProgram;
beforeAll(async () => {
  program = await OwnProgram.start();
  program.api.script(answer);
});
afterAll(() => program.stop());

function answer({ path }: Request) {
  if (path.startsWith('/tokens/'))
    return done({ symbol: 'USDC', mint: MINT, decimals: 6, verified: path.endsWith('USDC') });
  if (path === '/wallets/me') return done({ chainAddress: ADDRESS });
  return done({ network: 'mainnet-beta', realMoney: true });
}

const run = (args: readonly string[], otherwise = {}) => program.run(['receive', ...args], otherwise);

/** Reads the QR code at the end of a text, as a camera sees it in a dark terminal. */
function scan(text: string): string {
  const lines = text.split('\n').filter((line) => line.startsWith('████') || line.startsWith('▀▀▀▀'));
  const rows = lines.flatMap((line) => [
    [...line].map((block) => block === '█' || block === '▀'),
    [...line].map((block) => block === '█' || block === '▄'),
  ]);
  const [scale, width, height] = [4, rows[0]!.length, rows.length];
  const data = new Uint8ClampedArray(width * height * scale * scale * 4).fill(255);
  for (let pixel = 0; pixel < data.length / 4; pixel += 1) {
    const [x, y] = [pixel % (width * scale), Math.floor(pixel / (width * scale))];
    if (!rows[Math.floor(y / scale)]![Math.floor(x / scale)]) data.fill(0, pixel * 4, pixel * 4 + 3);
  }
  return decodeQR({ width: width * scale, height: height * scale, data });
}

describe('receive', () => {
  it('shows the address, the network and what it receives, and a code that wallets read', async () => {
    const { code, out } = await run([], TERMINAL);
    expect([code, scan(out)]).toEqual([0, ADDRESS]);
    expect(out).toMatch(/^Address +8dPB.*\nNetwork +mainnet-beta\nReceives +SOL, and any token of/);
  });

  it('draws a request of Solana Pay for a token and an amount', async () => {
    const { out } = await run(['USDC', '12.5'], TERMINAL);
    expect(scan(out)).toBe(REQUEST);
    expect(out).toMatch(new RegExp(`^Receives +12\\.5 USDC\\nMint +${MINT}\\nRequest +solana:`, 'm'));
  });

  it.each([
    ['SOL', [], `solana:${ADDRESS}`],
    ['sol', ['0.1'], `solana:${ADDRESS}?amount=0.1`],
    ['USDC', [], `solana:${ADDRESS}?spl-token=${MINT}`],
    ['USDC', ['12500000', '--raw'], REQUEST],
  ])('has the URI of %s %j in JSON', async (token, more, uri) => {
    const { out } = await run([token, ...more, '--json'], TERMINAL);
    expect(JSON.parse(out)).toMatchObject({ address: ADDRESS, uri, network: 'mainnet-beta' });
  });

  it.each([
    ['a pipe', [], { env: TERMINAL.env }],
    ['a terminal without UTF-8', [], { columns: 80, env: { LC_ALL: 'C', LANG: 'en_US.UTF-8' } }],
    ['a narrow terminal', [], { columns: 30, env: TERMINAL.env }],
    ['--no-qr', ['--no-qr'], TERMINAL],
    ['--json', ['--json'], TERMINAL],
  ])('draws no code for %s', async (_, args, otherwise) => {
    const { code, out } = await run(args, otherwise);
    expect([code, BLOCK.test(out), out.includes(ADDRESS)]).toEqual([0, false, true]);
  });

  it('warns of a token that is not verified, and of test money', async () => {
    expect((await run([MINT])).out).toContain('Verified  no: ');
    program.api.script((request) =>
      request.path === '/' ? done({ network: 'devnet', realMoney: false }) : answer(request),
    );
    expect((await run([])).out).toContain('devnet: test money only');
    program.api.script(answer);
  });

  it.each([
    [['12.5'], 'aw receive SOL 12.5'],
    [['USDC', '0.0000001'], 'USDC has 6 decimals, not 7'],
    [['USDC', '1e3'], 'decimal text'],
  ])('ends with 2 for %j', async (args, hint) => {
    expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(hint) });
  });
});
