import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { typedProblems } from './typed-rules.mjs';

const ANY = 'declare const a: any; declare function f(x: string): void;';

/** Code that breaks each rule of .oxlintrc.json. */
const BROKEN = {
  'await-thenable': 'await 1;',
  'no-array-delete': 'const a = [1]; delete a[0];',
  'no-base-to-string': 'export const t = `${String({})}`;',
  'no-duplicate-type-constituents': 'export type T = string | string;',
  'no-floating-promises': 'Promise.resolve(1);',
  'no-for-in-array': 'for (const i in [1]) console.log(i);',
  'no-implied-eval': "setTimeout('1', 1);",
  'no-misused-promises': "process.on('exit', async () => {});",
  'no-redundant-type-constituents': 'export type T = string | unknown;',
  'no-unnecessary-type-assertion': "const t: string = 'a'; export const u = t as string;",
  'no-unsafe-argument': `${ANY} f(a);`,
  'no-unsafe-assignment': `${ANY} export const b = a; f('');`,
  'no-unsafe-call': `${ANY} a(); f('');`,
  'no-unsafe-member-access': `${ANY} f(String(a.b));`,
  'no-unsafe-return': `${ANY} export const g = () => a; f('');`,
  'no-unsafe-unary-minus': 'declare const t: string; export const u = -t;',
  'only-throw-error': "throw 'text';",
  'prefer-promise-reject-errors': "export const p = Promise.reject('text');",
  'restrict-plus-operands': "export const t = 'a' + 1n + {};",
  'restrict-template-expressions': 'export const t = `${{ a: 1 }}`;',
  'unbound-method': 'class A { m() { return this; } } export const m = new A().m;',
  'switch-exhaustiveness-check': "declare const t: 'a' | 'b'; switch (t) { case 'a': }",
};

/** Code that must pass: a promise that `finally` waits for. */
const ALLOWED = 'declare const p: Promise<void>; await p.finally(() => p);';

/** Returns the number of broken rules, and a problem for each that was missed, refused or not tried. */
export async function missedByTypedRules() {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'typed-canary-'));
  try {
    mkdirSync(path.join(cwd, 'src'));
    symlinkSync(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'));
    writeFileSync(path.join(cwd, 'package.json'), '{ "type": "module" }');
    const compilerOptions = JSON.parse(readFileSync(path.join(root, 'tsconfig.base.json'), 'utf8')).compilerOptions;
    writeFileSync(path.join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const write = (name, text) => writeFileSync(path.join(cwd, 'src', `${name}.ts`), `${text}\nexport {};\n`);
    for (const [rule, text] of Object.entries(BROKEN)) write(rule, text);
    write('allowed', ALLOWED);
    const found = await typedProblems(['src'], { cwd });
    const isFound = (rule, name) => found.some((each) => each.rule === rule && each.file.endsWith(`${name}.ts`));
    const missed = Object.keys(BROKEN).filter((rule) => !isFound(rule, rule));
    const refused = found.filter(({ file }) => file.endsWith('allowed.ts'));
    const { rules } = JSON.parse(readFileSync(path.join(root, '.oxlintrc.json'), 'utf8'));
    const untried = Object.keys(rules).filter((rule) => !(rule.replace('typescript/', '') in BROKEN));
    return {
      count: Object.keys(BROKEN).length,
      problems: [
        ...missed.map((rule) => `${rule} did not catch ${BROKEN[rule]}`),
        ...refused.map(({ rule }) => `${ALLOWED} is allowed, but ${rule} refused it`),
        ...untried.map((rule) => `nothing here breaks ${rule}`),
      ],
    };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
