// Makes docs/grpc.md, the reference, from the protos, the lists of callers, and the catalogue of errors.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatted } from '../running/formatted.mjs';
import { isMain, root } from '../running/process.mjs';
import { readErrorCatalogue, STATUS_NAMES } from '../protos/error-catalogue.mjs';
import { readModel } from './grpc-model.mjs';

const PAGE = path.join(root, 'docs/grpc.md');

const HEAD = `# Reference of the gRPC services

Made by \`npm run codegen\` from the protos, the lists of callers and the catalogue of errors; not committed. How to get in, and
what travels with a call, is in [calling the services](calling.md).`;

/** @returns the page. @throws Error when a comment names errors or callers that are not */
export async function grpcPage() {
  const text = `${HEAD}\n\n${referenceOf(await readModel(), await readErrorCatalogue())}`;
  return formatted(PAGE, text);
}

function referenceOf({ services, messages }, catalogue) {
  const shared = namedInFields(services, messages).map((name) => messages.get(name));
  return [
    '## Errors',
    errorTable(catalogue),
    '## Services',
    table(['Service', 'Served by', 'What'], services.map(serviceRow)),
    ...services.flatMap((service) => serviceSection(service, { messages, catalogue })),
    '## Messages',
    ...shared.flatMap((message) => [`### ${message.name}`, escaped(message.doc), fieldTable(message)]),
  ].join('\n\n');
}

function errorTable(catalogue) {
  const rows = Object.entries(catalogue).map(([code, { grpc, retryable, message }]) => [
    `\`${code}\``,
    `${STATUS_NAMES[grpc]} (${grpc})`,
    retryable ? 'yes' : 'no',
    message,
  ]);
  return table(['Code', 'gRPC status', 'May succeed later', 'Message, unless more is known'], rows);
}

function serviceRow({ name, servedBy, doc }) {
  return [`[${name}](#${anchorOf(name)})`, servedBy.join(', '), escaped(doc)];
}

function serviceSection({ name, servedBy, doc, methods }, known) {
  const callersOf = (method) => method.callers.map((caller) => `\`${caller}\``).join(', ');
  const rows = methods.map((method) => [
    `[${method.name}](#${anchorOf(`${name}/${method.name}`)})`,
    callersOf(method),
    method.safety,
  ]);
  return [
    `### ${name}`,
    `${escaped(doc)} Served by ${servedBy.join(', ')}.`,
    table(['Method', 'Callers', 'Safe to repeat'], rows),
    ...methods.flatMap((method) => methodSection(name, method, known)),
  ];
}

const REPEATS = {
  reads: 'Changes nothing: safe to repeat.',
  yes: 'Safe to repeat with the same fields: it has one effect.',
  no: 'Not to be repeated by a machine.',
};

function methodSection(service, { name, doc, errors, callers, safety, request, response }, { messages, catalogue }) {
  const unknown = errors.filter((code) => !catalogue[code]);
  if (unknown.length > 0) throw new Error(`${service}/${name} names errors that there are not: ${unknown.join(', ')}`);
  const codes = errors.map((code) => `\`${code}\` (${STATUS_NAMES[catalogue[code].grpc]})`).join(', ');
  return [
    `#### ${service}/${name}`,
    escaped(doc),
    `Callers: ${callers.map((caller) => `\`${caller}\``).join(', ')}. ${REPEATS[safety]}`,
    errors.length > 0 ? `Errors beside those of every method: ${codes}.` : 'Errors: those of every method.',
    `Request: ${shortName(request)}`,
    fieldTable(messages.get(request)),
    `Answer: ${shortName(response)}`,
    fieldTable(messages.get(response)),
  ];
}

function fieldTable({ fields, values }) {
  if (values) {
    return table(
      ['Number', 'Name', 'What it says'],
      values.map(({ number, name, doc }) => [number, `\`${name}\``, escaped(doc)]),
    );
  }
  if (fields.length === 0) return 'No fields.';
  const rows = fields.map(({ number, name, doc, label, type, isNamed, oneof }) => [
    number,
    `\`${name}\``,
    label + (isNamed ? `[${shortName(type)}](#${anchorOf(type)})` : type) + (oneof ? `, one of \`${oneof}\`` : ''),
    escaped(doc),
  ]);
  return table(['Number', 'Field', 'Type', 'What it says'], rows);
}

/** Messages and enums that are part of a request or an answer, in the order of their names. */
function namedInFields(services, messages) {
  const found = new Set();
  const waiting = services.flatMap(({ methods }) => methods.flatMap((each) => [each.request, each.response]));
  for (const each of waiting) {
    for (const { type, isNamed } of messages.get(each)?.fields ?? []) {
      if (!isNamed || found.has(type)) continue;
      found.add(type);
      waiting.push(type);
    }
  }
  return [...found].sort();
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const shortName = (name) => name.replace(/^agentwallet\.\w+\.v1\./, '');

/** As GitHub makes anchors of headings. */
const anchorOf = (heading) => heading.toLowerCase().replaceAll(/[^\w -]/g, '');

const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

if (isMain(import.meta)) writeFileSync(PAGE, await grpcPage());
