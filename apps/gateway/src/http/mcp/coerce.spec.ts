import { describe, expect, it } from '@jest/globals';
import { LosslessNumber } from 'lossless-json';
import { coerce } from './coerce.js';
import { requestInput } from './tool-input.js';
import { createWalletTools } from './wallet-tools.js';

const number = (text: string) => new LosslessNumber(text);
const LIST = { type: 'array', items: { type: 'integer' } };
const OBJECT = { type: 'object', properties: { on: { type: 'boolean' }, list: LIST } };

describe('a value that a model wrote', () => {
  it.each<[string, object, unknown, unknown]>([
    ['an integer', { type: 'integer' }, '-17', number('-17')],
    ['more digits than a float holds', { type: 'number' }, '0.12345678901234567890', number('0.12345678901234567890')],
    ['an exponent', { type: 'number' }, '2.5E+3', number('2.5E+3')],
    ['false', { type: 'boolean' }, 'false', false],
    ['digits given as a number', { type: 'string' }, 9_007_199_254_740_991, '9007199254740991'],
    ['a list as text', LIST, '[1,"2", 3 ]', [number('1'), number('2'), number('3')]],
    ['a list of texts', LIST, ['4', 5], [number('4'), number('5')]],
    ['an object as text', OBJECT, '{"on":"true","list":"[7]"}', { on: true, list: [number('7')] }],
    ['one of several types', { anyOf: [LIST, { type: 'null' }] }, '["8"]', [number('8')]],
    ['null of several types', { oneOf: [{ type: 'null' }, { type: 'number' }] }, null, null],
    ['text, where text is one of the types', { anyOf: [{ type: 'number' }, { type: 'string' }] }, '9', '9'],
    ['a number without a schema', {}, [6], [number('6')]],
  ])('becomes the type of its schema: %s', (_, schema, given, read) => {
    expect(coerce(schema as Record<string, unknown>, given)).toEqual(read);
  });

  it.each<[object, unknown]>([
    ...['05', '.5', '5.', '+5', ' 5', '5 ', '0x5', '1_000', '1,5', 'NaN', 'Infinity', '', '５'].map(
      (text): [object, unknown] => [{ type: 'number' }, text],
    ),
    ...['True', '1', 'yes', ''].map((text): [object, unknown] => [{ type: 'boolean' }, text]),
    ...['1,2', '{}', '[1', '', '[[[[['.repeat(20_000)].map((text): [object, unknown] => [LIST, text]),
    ...['[]', 'null', '{"on":true,"on":false}', '{on:true}'].map((text): [object, unknown] => [OBJECT, text]),
    [{ type: 'string' }, true],
    [{ type: 'string' }, null],
  ])('stays as it is where reading it would guess (%j)', (schema, given) => {
    expect(coerce(schema as Record<string, unknown>, given)).toEqual(given);
  });

  it('keeps a fraction that text is wanted for, and a list that nests too deep', () => {
    expect(coerce({ type: 'string' }, 1.5)).toEqual(number('1.5'));
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    expect(coerce({ type: 'array' }, deep)).toBe(deep);
  });

  it('keeps a field __proto__ as a field', () => {
    const read = coerce(OBJECT, JSON.parse('{"__proto__":{"on":true}}')) as object;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.keys(coerce(OBJECT, '{"__proto__":{"on":true}}') as object)).toEqual(['__proto__']);
  });
});

/** Writes all numbers, switches, lists and objects of arguments as text. */
const asText = (given: object) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

interface Schema extends Record<string, unknown> {
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Returns an argument that a schema allows. */
function sample(schema: Record<string, unknown>): unknown {
  const { anyOf, type, items, properties } = schema as Schema;
  if (anyOf) return sample(anyOf[0]!);
  if (type === 'array') return [sample(items!)];
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties!).map(([name, part]) => [name, sample(part)]));
  if (type === 'boolean') return true;
  return type === 'string' ? '7' : 7;
}

describe.each(
  createWalletTools().flatMap((each) => (each.kind === 'execute' ? [] : [[each.tool.name, each.tool] as const])),
)('the tool %s', (_, tool) => {
  it('reads arguments as text as it reads them in their own types', () => {
    const given = sample(tool.parameters) as object;
    expect(requestInput(tool, asText(given))).toEqual(requestInput(tool, { ...given }));
  });
});
