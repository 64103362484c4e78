import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';

/** The folder of the compose file, which paths in it are relative to. */
export const DEPLOY = path.join(import.meta.dirname, '..', '..', '..', '..', 'deploy');

/** Variables that a file of the folder gives. */
export function variablesOf(file: string): NodeJS.Dict<string> {
  return parseEnv(readFileSync(path.join(DEPLOY, file), 'utf8'));
}

/** The compose file, with anchors merged and variables filled in. @throws Error when a variable is required and missing */
export function readCompose(variables: NodeJS.Dict<string>): Record<string, unknown> {
  const source = readFileSync(path.join(DEPLOY, 'compose.yaml'), 'utf8');
  const read = parse(source, { merge: true, maxAliasCount: -1 }) as Record<string, unknown>;
  const own = Object.entries(read).filter(([name]) => !name.startsWith('x-'));
  return filled(Object.fromEntries(own), variables) as Record<string, unknown>;
}

function filled(value: unknown, variables: NodeJS.Dict<string>): unknown {
  if (typeof value === 'string') return filledText(value, variables);
  if (Array.isArray(value)) return value.map((each) => filled(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, variables)]));
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?why}`; no other form is used. */
function filledText(text: string, variables: NodeJS.Dict<string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = variables[name];
    if (value) return value;
    if (kind === '-') return rest as string;
    throw new Error(`${name} is not set: ${rest}`);
  });
}
