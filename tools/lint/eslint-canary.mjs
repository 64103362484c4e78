import { ESLint } from 'eslint';
import path from 'node:path';
import { root } from '../running/process.mjs';

const lines = (count, line) => Array.from({ length: count }, () => line).join('\n');

const STATEMENT = "export const read = (pool: { query(text: string): unknown }) => pool.query('select 1');";

/** What breaks a rule: the project or a folder of it, and a file's text. */
const BROKEN = [
  ['max-lines', 'apps/wallet', lines(401, 'export {};')],
  ['max-lines-per-function', 'apps/wallet', `export function long() {\n${lines(50, ';')}\n}`],
  ['max-params', 'apps/wallet', 'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => a + b + c + d + e;'],
  ['no-restricted-properties', 'apps/wallet', "export const port = process.env['PORT'];"],
  ['no-restricted-properties', 'apps/wallet', 'export const nowMs = Date.now();'],
  ['no-restricted-properties', 'apps/wallet', 'export const id = Math.random();'],
  ['no-restricted-syntax', 'apps/wallet', 'export const now = new Date();'],
  ['no-restricted-syntax', 'apps/wallet', STATEMENT],
  ['no-restricted-syntax', 'apps/wallet/src/application', STATEMENT],
  ['no-restricted-imports', 'apps/sandbox', "import 'kalshi-typescript';"],
  ['no-restricted-globals', 'apps/wallet', "export const amount = parseFloat('64.1');"],
  ['no-console', 'apps/wallet', "console.log('');"],
  ['@typescript-eslint/no-explicit-any', 'apps/wallet', 'export const a: any = 1;'],
];

/** What must pass, so that a file that is not read at all does not count as caught. */
const ALLOWED = [
  ['apps/wallet', lines(400, 'export {};')],
  ['apps/wallet/src/adapters', STATEMENT],
];

/** How many rules were broken, and which were missed or made up. */
export async function missedByEslint() {
  const eslint = new ESLint({ cwd: root });
  const problems = [];
  for (const [rule, project, text] of BROKEN) {
    const caught = await rulesBrokenBy(eslint, project, text);
    if (!caught.includes(rule)) problems.push(`${rule} did not catch ${describe(project, text)} (${caught})`);
  }
  for (const [project, text] of ALLOWED) {
    const caught = await rulesBrokenBy(eslint, project, text);
    if (caught.length > 0) problems.push(`${describe(project, text)} is allowed, but ${caught} refused it`);
  }
  return { count: BROKEN.length, problems };
}

async function rulesBrokenBy(eslint, place, text) {
  const folder = place.includes('/src/') ? place : `${place}/src`;
  const [result] = await eslint.lintText(`${text}\n`, { filePath: path.join(root, folder, 'canary.ts') });
  return result.messages.map(({ ruleId, message }) => ruleId ?? message);
}

function describe(project, text) {
  return `${project}: ${text.slice(0, 60).split('\n')[0]}`;
}
