import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { codeProblems } from './code-rules.mjs';

const lines = (count, line) => Array.from({ length: count }, () => line).join('\n');

const ANY = 'declare const a: any; declare function f(x: string): void;';
const LONG = `export function long() {\n${lines(50, ';')}\n}`;
const MANY = 'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => a + b + c + d + e;';
const NAME = 'declare const query: (text: string) => unknown; export const row = query("select 1");';
const METHOD = 'declare const pool: { query(text: string): unknown }; export const row = pool.query("select 1");';
const PORT = "export const port = process.env['PORT'];";
const METHOD_USE = 'class A { m() { return this; } } export const m = new A().m;';
const SDK = "import 'kalshi-typescript';";

const SERVICE = 'apps/wallet/src/canary.ts';

/** Code that breaks each rule of .oxlintrc.json, and the file that it is in, where that matters. */
const BROKEN = [
  ['max-lines', lines(401, 'export {};')],
  ['max-lines', lines(401, 'export {};'), 'apps/wallet/test/canary.ts'],
  ['max-lines', lines(401, 'export {};'), 'tools/lint/canary.mjs'],
  ['max-lines-per-function', LONG],
  ['max-lines-per-function', LONG, 'apps/console/src/canary.tsx'],
  ['max-lines-per-function', LONG, 'tools/lint/canary.mjs'],
  ['max-params', MANY],
  ['max-params', MANY.replaceAll(': 1', ''), 'tools/lint/canary.mjs'],
  ['eqeqeq', 'export const f = (a: 1) => a == null;'],
  ['eqeqeq', 'export const f = (a) => a == null;', 'tools/lint/canary.mjs'],
  ['no-array-constructor', 'export const a = new Array(1, 2);'],
  ['no-console', "console.log('');"],
  ['no-restricted-globals', "export const amount = parseFloat('64.1');"],
  ['no-restricted-imports', SDK, 'apps/sandbox/src/canary.ts'],
  ['no-restricted-imports', "import 'axios';"],
  ['no-restricted-properties', PORT],
  ['no-restricted-properties', 'export const nowMs = Date.now();'],
  ['no-restricted-properties', 'export const id = Math.random();'],
  ['no-restricted-properties', "export const amount = Number.parseFloat('64.1');"],
  ['no-undef', 'export const f = () => nowhere;', 'tools/lint/canary.mjs'],
  ['no-undef', 'export const f = () => require;', 'tools/lint/canary.mjs'],
  ['no-undef', 'module.exports = nowhere;', 'tools/lint/canary.cjs'],
  ['no-unused-expressions', "'a' + 'b';"],
  ['no-unused-vars', "const unused = 'a';"],
  ['no-unused-vars', 'export function f(unused: string) {}'],
  ['no-unused-vars', "import { readFileSync } from 'node:fs';", 'tools/lint/canary.mjs'],
  ['no-var', 'export var a = 1;'],
  ['prefer-const', 'let a = 1; export { a };'],
  ['prefer-rest-params', 'export function f() { return arguments; }'],
  ['prefer-spread', 'declare function f(...a: string[]): void; f.apply(undefined, process.argv);'],
  ['agent-wallet/no-new-date', 'export const now = new Date();'],
  ['agent-wallet/no-new-date', 'export const now = new Date();', 'libs/kernel/src/canary.ts'],
  ['agent-wallet/sql-in-adapters', METHOD],
  ['agent-wallet/sql-in-adapters', METHOD.replace('pool.query', 'pool?.query')],
  ['agent-wallet/sql-in-adapters', NAME],
  ['agent-wallet/sql-in-adapters', METHOD, 'apps/wallet/src/application/canary.ts'],
  ['typescript/ban-ts-comment', '// @ts-expect-error\nexport {};'],
  ['typescript/consistent-type-imports', "import { Server } from 'node:http'; export type T = Server;"],
  ['typescript/no-duplicate-enum-values', 'export enum E { A = 1, B = 1 }'],
  ['typescript/no-empty-object-type', 'export type T = {};'],
  ['typescript/no-explicit-any', 'export const a: any = 1;'],
  ['typescript/no-extra-non-null-assertion', 'export const f = (a?: string) => a!!;'],
  ['typescript/no-misused-new', 'export interface I { new (): I; }'],
  ['typescript/no-namespace', 'export namespace N {}'],
  ['typescript/no-non-null-asserted-optional-chain', 'export const f = (a?: { b?: string }) => a?.b!;'],
  ['typescript/no-require-imports', "import fs = require('node:fs'); export { fs };"],
  ['typescript/no-this-alias', 'export function f(this: string) { const self = this; return self; }'],
  ['typescript/no-unnecessary-type-constraint', 'export type T<U extends unknown> = U[];'],
  ['typescript/no-unsafe-declaration-merging', 'export interface A {} export class A {}'],
  ['typescript/no-unsafe-function-type', 'export type T = Function;'],
  ['typescript/no-wrapper-object-types', 'export type T = String;'],
  ['typescript/prefer-as-const', "export const a: 'a' = 'a';"],
  ['typescript/prefer-namespace-keyword', 'declare module M {}'],
  ['typescript/triple-slash-reference', '/// <reference path="./other.ts" />'],
  ['typescript/await-thenable', 'await 1;'],
  ['typescript/no-array-delete', 'const a = [1]; delete a[0];'],
  ['typescript/no-base-to-string', 'export const t = `${String({})}`;'],
  ['typescript/no-duplicate-type-constituents', 'export type T = string | string;'],
  ['typescript/no-floating-promises', 'Promise.resolve(1);'],
  ['typescript/no-for-in-array', 'for (const i in [1]) console.log(i);'],
  ['typescript/no-implied-eval', "setTimeout('1', 1);"],
  ['typescript/no-misused-promises', "process.on('exit', async () => {});"],
  ['typescript/no-redundant-type-constituents', 'export type T = string | unknown;'],
  ['typescript/no-unnecessary-type-assertion', "const t: string = 'a'; export const u = t as string;"],
  ['typescript/no-unsafe-argument', `${ANY} f(a);`],
  ['typescript/no-unsafe-assignment', `${ANY} export const b = a; f('');`],
  ['typescript/no-unsafe-call', `${ANY} a(); f('');`],
  ['typescript/no-unsafe-member-access', `${ANY} f(String(a.b));`],
  ['typescript/no-unsafe-return', `${ANY} export const g = () => a; f('');`],
  ['typescript/no-unsafe-unary-minus', 'declare const t: string; export const u = -t;'],
  ['typescript/only-throw-error', "throw 'text';"],
  ['typescript/prefer-promise-reject-errors', "export const p = Promise.reject('text');"],
  ['typescript/restrict-plus-operands', "export const t = 'a' + 1n + {};"],
  ['typescript/restrict-template-expressions', 'export const t = `${{ a: 1 }}`;'],
  ['typescript/unbound-method', METHOD_USE],
  ['typescript/switch-exhaustiveness-check', "declare const t: 'a' | 'b'; switch (t) { case 'a': }"],
  ['no-console', `// ${'eslint'}-disable-next-line no-console\nconsole.log('');`],
].map(asFile);

/** Code that must pass, so that a file that is refused whole does not count as caught. */
const ALLOWED = [
  [lines(400, 'export {};')],
  [`export function commented() {\n${lines(60, '// Why.')}\n}`],
  ['export const f = (_unused: string) => { const _other = 1; };'],
  ["import type { Server } from 'node:http'; export type T = Server;"],
  ['export const day = new Date(0);'],
  // `finally` waits for the promise.
  ['declare const p: Promise<void>; await p.finally(() => p);'],
  [METHOD, 'apps/wallet/src/adapters/canary.ts'],
  [METHOD, 'apps/sandbox/src/canary.ts'],
  [METHOD, 'libs/platform/src/canary.ts'],
  [PORT, 'apps/wallet/src/main.ts'],
  [PORT, 'libs/platform/src/settings/canary.ts'],
  ['export const nowMs = Date.now();', 'libs/kernel/src/clock.ts'],
  [METHOD_USE, 'apps/gateway/src/api/actions/define-action.ts'],
  [`${SDK} export const at = [new Date(), Date.now(), JSON.parse('{}').a];`, 'apps/wallet/test/canary.ts'],
  [LONG, 'apps/wallet/src/canary.spec.ts'],
  ['export const f = () => console.log(process.pid);', 'tools/lint/canary.mjs'],
  ["module.exports = require('node:fs');", 'tools/lint/canary.cjs'],
].map(([text, file], index) => asFile(['allowed', text, file], index));

/** Gives each `canary` file a name of its own, in the same folder. */
function asFile([rule, text, file = SERVICE], index) {
  return { rule, text, file: file.replace('canary.', `${rule.replace('/', '-')}-${index}.`) };
}

/** Returns the number of broken rules, and a problem for each that was missed, refused or not tried. */
export async function missedByCodeRules() {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'code-canary-'));
  try {
    writeSkeleton(cwd);
    const found = await codeProblems(['.'], { cwd });
    const rulesOf = ({ file }) => found.filter((each) => each.file === file).map(({ rule }) => rule);
    const missed = BROKEN.filter((each) => !rulesOf(each).includes(each.rule));
    const refused = ALLOWED.filter((each) => rulesOf(each).length > 0);
    const untried = namedRules().filter((name) => !BROKEN.some(({ rule }) => rule === name));
    return {
      count: BROKEN.length,
      problems: [
        ...missed.map((each) => `${each.rule} did not catch ${describe(each)} (${rulesOf(each)})`),
        ...refused.map((each) => `${describe(each)} is allowed, but ${rulesOf(each)} refused it`),
        ...untried.map((rule) => `nothing here breaks ${rule}`),
      ],
    };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function writeSkeleton(cwd) {
  symlinkSync(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'));
  writeFileSync(path.join(cwd, 'package.json'), '{ "type": "module" }');
  for (const file of ['.oxlintrc.json', 'tsconfig.base.json', 'tools/lint/oxlint-plugin.mjs'])
    cpSync(path.join(root, file), path.join(cwd, file));
  writeFileSync(path.join(cwd, 'tsconfig.json'), JSON.stringify({ extends: './tsconfig.base.json' }));
  for (const { file, text } of [...BROKEN, ...ALLOWED]) {
    mkdirSync(path.join(cwd, path.dirname(file)), { recursive: true });
    writeFileSync(
      path.join(cwd, file),
      `${text}\n${file.endsWith('.cjs') || text.includes('\n') ? '' : 'export {};\n'}`,
    );
  }
}

/** The rules of .oxlintrc.json, for whichever files. */
function namedRules() {
  const { rules, overrides } = JSON.parse(readFileSync(path.join(root, '.oxlintrc.json'), 'utf8'));
  return [...new Set([rules, ...overrides.map((each) => each.rules ?? {})].flatMap(Object.keys))];
}

function describe({ file, text }) {
  return `${file}: ${text.slice(0, 60).split('\n')[0]}`;
}
