import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const MODELS = path.join(path.dirname(createRequire(import.meta.url).resolve('kalshi-typescript')), 'models');

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
}

/**
 * Lists what is wrong with a value of a type of the official SDK, read from the SDK's own declarations. It finds
 * missing fields, undeclared fields, and values of another type or outside an enumeration.
 */
export function misfits(value: unknown, type: string, at = type): string[] {
  const choices = type.split('|').map((choice) => choice.trim());
  if (value === null) return choices.includes('null') ? [] : [`${at} is null`];
  const [only = ''] = choices.filter((choice) => choice !== 'null');
  const item = /^Array<(.*)>$/.exec(only)?.[1];
  if (item !== undefined) {
    if (!Array.isArray(value)) return [`${at} is not a list`];
    return value.flatMap((each, i) => misfits(each, item, `${at}[${i}]`));
  }
  const entry = /^\{ ?\[key: string\]: (.*?);? ?\}$/.exec(only)?.[1];
  if (entry !== undefined) {
    return Object.entries(value as object).flatMap(([key, each]) => misfits(each, entry, `${at}.${key}`));
  }
  if (only === 'any') return [];
  if (['string', 'number', 'boolean', 'object'].includes(only)) {
    return typeof value === only ? [] : [`${at} is a ${typeof value}, not a ${only}`];
  }
  const words = wordsOf(only);
  if (words) return words.includes(value as string) ? [] : [`${at} is ${JSON.stringify(value)}`];
  return misfitsOfFields(value as Readonly<Record<string, unknown>>, fieldsOf(only), at);
}

function misfitsOfFields(value: Readonly<Record<string, unknown>>, fields: readonly Field[], at: string): string[] {
  const known = new Set(fields.map(({ name }) => name));
  const undeclared = Object.keys(value).filter((name) => !known.has(name));
  return [
    ...undeclared.map((name) => `${at}.${name} is not declared`),
    ...fields.flatMap(({ name, isOptional, type }) => {
      if (value[name] !== undefined) return misfits(value[name], type, `${at}.${name}`);
      return isOptional ? [] : [`${at}.${name} is missing`];
    }),
  ];
}

/** The text of a type's file, without comments and with single spaces. */
function declarationOf(type: string): string {
  const file = path.join(MODELS, `${kebab(type)}.d.ts`);
  if (!existsSync(file)) return '';
  return readFileSync(file, 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ');
}

function kebab(type: string): string {
  return type.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

function fieldsOf(type: string): Field[] {
  const [, body = ''] =
    new RegExp(`export interface ${type} \\{ (.*?) \\}(?: export|$| )`).exec(declarationOf(type)) ?? [];
  const fields = [...body.matchAll(/'(\w+)'(\??): (\{.*?\}|[^;{]+);/g)];
  if (fields.length === 0) throw new Error(`the SDK declares no ${type}`);
  return fields.map(([, name = '', mark, declared = '']) => ({ name, isOptional: mark === '?', type: declared }));
}

/** The words of an enumeration: `MarketStatusEnum` stands in the file of `Market`, others have one of their own. */
function wordsOf(type: string): string[] | undefined {
  const parts = type.split(/(?=[A-Z])/);
  for (let count = parts.length; count > 0; count -= 1) {
    const declaration = declarationOf(parts.slice(0, count).join(''));
    const [, body] = new RegExp(`const ${type}: \\{(.*?)\\}`).exec(declaration) ?? [];
    if (body !== undefined) return [...body.matchAll(/: "(.*?)"/g)].map(([, word = '']) => word);
  }
  return undefined;
}
