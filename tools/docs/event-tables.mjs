// The tables of docs/events.md, from the catalogue of event types and the comments of the proto.
import { transformFile } from '@swc/core';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatted } from '../running/formatted.mjs';
import { isMain, root } from '../running/process.mjs';
import { readProto } from './read-proto.mjs';

const PAGE = path.join(root, 'docs/events.md');
const PROTO = path.join(root, 'proto/agentwallet/audit/v1/event.proto');
const CATALOGUE = path.join(root, 'libs/events/src/catalogue/catalogue.ts');

const BEGIN = '<!-- made by tools/docs/event-tables.mjs -->';
const END = '<!-- made until here -->';

/** The catalogue as it is in the source, which imports nothing but types. */
export async function readCatalogue() {
  const { code } = await transformFile(CATALOGUE, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The messages of the proto. */
export function readEventProto() {
  return readProto(readFileSync(PROTO, 'utf8'));
}

/** The page as it is. */
export const readPage = () => readFileSync(PAGE, 'utf8');

/** @returns the page with its tables rebuilt. @throws Error when the page has lost the marks around them */
export async function eventPage() {
  const [before, , ...after] = readPage().split(new RegExp(`${BEGIN}|${END}`));
  if (after.length !== 1) throw new Error(`docs/events.md must have the marks ${BEGIN} and ${END}, once each`);
  const tables = tablesOf(await readCatalogue(), readEventProto());
  const text = `${before}${BEGIN}\n\n${tables}\n\n${END}${after[0]}`;
  return formatted(PAGE, text);
}

function tablesOf({ FACT_TYPES, OPERATION_TYPES, OPERATION_ACTIONS }, messages) {
  const messageOf = new Map(factsOf(messages).map(({ fact, type }) => [fact, type]));
  const row = (type, message) =>
    `| \`${type.type}\` | [${message}](#${message.toLowerCase()}) | ${type.writers.join(', ')} | ${type.meaning} |`;
  const types = [
    ...Object.entries(FACT_TYPES).map(([fact, type]) => row(type, messageOf.get(fact))),
    ...Object.values(OPERATION_TYPES).map((type) => row(type, messageOf.get('operationChanged'))),
  ];
  const actions = Object.entries(OPERATION_ACTIONS).map(
    ([action, { writers, meaning }]) => `| \`${action}\` | ${writers.join(', ')} | ${meaning} |`,
  );
  return [
    '### Types',
    ['| Type | Message | Written by | When |', '| --- | --- | --- | --- |', ...types].join('\n'),
    '### Actions of operations',
    ['| `action` | Written by | What |', '| --- | --- | --- |', ...actions].join('\n'),
    '### Messages',
    ...[...messages].flatMap(([name, message]) => [`#### ${name}`, message.doc, fieldsOf(message)]),
  ].join('\n\n');
}

function fieldsOf({ fields, isEnum }) {
  if (isEnum) {
    const rows = fields.map(({ name, number, doc }) => `| ${number} | \`${name}\` | ${doc} |`);
    return ['| Number | Name | What it says |', '| --- | --- | --- |', ...rows].join('\n');
  }
  const rows = fields.map(({ name, number, type, doc }) => `| ${number} | \`${name}\` | ${type} | ${doc} |`);
  return ['| Number | Field | Type | What it says |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** @returns every fact of the oneof: its name in the code, and its message */
export function factsOf(messages) {
  return messages
    .get('AuditEvent')
    .fields.filter((field) => field.in.kind === 'oneof')
    .map(({ name, type }) => ({ fact: name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), type }));
}

if (isMain(import.meta)) writeFileSync(PAGE, await eventPage());
