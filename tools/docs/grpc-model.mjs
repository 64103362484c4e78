// What docs/grpc.md tells of each service, from the compiled protos, their comments, and the lists of callers.
import { FieldDescriptorProto_Label, FieldDescriptorProto_Type } from '@bufbuild/protobuf/wkt';
import { readCallers } from '../protos/callers.mjs';
import { readProtos } from '../protos/image.mjs';

/** Numbers of fields in descriptor.proto, of which the paths of comments are made. */
const IN_FILE = { message: 4, enum: 5, service: 6 };
const IN_MESSAGE = { field: 2, nested: 3, enum: 4 };
const METHOD = 2;
const VALUE = 2;

/** What idempotency_level says, by its number. */
const SAFETY = ['no', 'reads', 'yes'];

const ENDING = /(?: ?Errors: ([A-Z_, ]+)\.)? ?Callers: ([a-z, ]+)\.$/;

/**
 * Reads all that we serve. Throws when a comment and a list of callers differ.
 * @returns `{ services, messages }`: messages and enums by their full names
 */
export async function readModel() {
  const files = (await readProtos()).filter(({ name }) => name.startsWith('agentwallet/'));
  const callers = readCallers();
  return {
    services: files.flatMap((file) => servicesOf(file, callers)),
    messages: new Map(files.flatMap(typesOf)),
  };
}

function commentsOf(file) {
  const byPath = new Map(
    file.sourceCodeInfo.location.map(({ path, leadingComments }) => [
      path.join('.'),
      leadingComments
        .split('\n')
        .map((line) => line.trim())
        .join(' ')
        .trim(),
    ]),
  );
  return (...path) => byPath.get(path.join('.')) ?? '';
}

function servicesOf(file, callers) {
  const comment = commentsOf(file);
  return file.service.map((service, s) => {
    const name = `${file.package}.${service.name}`;
    const { servedBy, methods } = callers.get(name) ?? {};
    if (!servedBy) throw new Error(`${name} has no list of callers`);
    return {
      ...{ name, servedBy, doc: comment(IN_FILE.service, s) },
      methods: service.method.map((method, m) => {
        const documented = readMethodComment(comment(IN_FILE.service, s, METHOD, m), `${name}.${method.name}`);
        const allowed = methods.get(method.name) ?? [];
        if (documented.callers.join() !== allowed.join()) {
          throw new Error(
            `${name}.${method.name}: its comment says ${documented.callers.join()}, its list ${allowed.join()}`,
          );
        }
        return {
          ...{ name: method.name, ...documented, safety: SAFETY[method.options?.idempotencyLevel ?? 0] },
          ...{ request: method.inputType.slice(1), response: method.outputType.slice(1) },
        };
      }),
    };
  });
}

/** Takes what is at the end of every method's comment apart. */
export function readMethodComment(comment, name) {
  const ending = ENDING.exec(comment);
  if (!ending) throw new Error(`the comment of ${name} does not end with its errors and its callers`);
  const [all, errors, callers] = ending;
  return { doc: comment.slice(0, -all.length).trim(), errors: errors?.split(', ') ?? [], callers: callers.split(', ') };
}

function typesOf(file) {
  const comment = commentsOf(file);
  const scope = `${file.package}.`;
  return [
    ...file.messageType.flatMap((message, n) => messageOf(message, { comment, scope, path: [IN_FILE.message, n] })),
    ...file.enumType.map((each, n) => enumOf(each, { comment, scope, path: [IN_FILE.enum, n] })),
  ];
}

function messageOf(message, { comment, scope, path }) {
  const name = scope + message.name;
  const fields = message.field.map((field, n) => ({
    ...{ name: field.name, number: field.number, doc: comment(...path, IN_MESSAGE.field, n), ...typeOf(field) },
    oneof:
      field.oneofIndex !== undefined && isIn(field, 'oneofIndex') && !field.proto3Optional
        ? message.oneofDecl[field.oneofIndex].name
        : undefined,
  }));
  const inside = (list, of, number) =>
    list.flatMap((each, n) => of(each, { comment, scope: `${name}.`, path: [...path, number, n] }));
  return [
    [name, { name, doc: comment(...path), fields }],
    ...inside(message.nestedType, messageOf, IN_MESSAGE.nested),
    ...inside(message.enumType, (each, at) => [enumOf(each, at)], IN_MESSAGE.enum),
  ];
}

/** Whether a field with presence was set: a bare number does not say it. */
function isIn(descriptor, field) {
  return Object.hasOwn(descriptor, field);
}

function typeOf(field) {
  const named = field.typeName ? field.typeName.slice(1) : undefined;
  const scalar = FieldDescriptorProto_Type[field.type].toLowerCase();
  const label =
    field.label === FieldDescriptorProto_Label.REPEATED ? 'repeated ' : field.proto3Optional ? 'optional ' : '';
  return { label, type: named ?? scalar, isNamed: named !== undefined };
}

function enumOf(each, { comment, scope, path }) {
  const values = each.value.map(({ name, number }, n) => ({ name, number, doc: comment(...path, VALUE, n) }));
  return [scope + each.name, { name: scope + each.name, doc: comment(...path), values }];
}
