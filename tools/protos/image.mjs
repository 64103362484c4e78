// The protos as buf compiles them: descriptors with their comments.
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installed, run } from '../running/process.mjs';

/** @returns every file of proto/ and those that they import, each after its imports, as `FileDescriptorProto`s */
export async function readProtos() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'protos-'));
  try {
    const output = path.join(folder, 'all.binpb');
    const command = [...installed('buf'), 'build', 'proto', '--as-file-descriptor-set', '--output', output];
    const { code, output: said } = await run(command, { capture: true });
    if (code !== 0) throw new Error(`buf build failed:\n${said}`);
    return fromBinary(FileDescriptorSetSchema, readFileSync(output)).file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names that a file declares, in full: messages, enums, services and methods. */
export function symbolsOf(file) {
  const scope = file.package ? `${file.package}.` : '';
  return [
    ...file.messageType.flatMap((message) => symbolsOfMessage(message, scope)),
    ...file.enumType.map(({ name }) => `${scope}${name}`),
    ...file.service.flatMap(({ name, method }) =>
      [name, ...method.map((each) => `${name}.${each.name}`)].map((each) => `${scope}${each}`),
    ),
  ];
}

function symbolsOfMessage({ name, nestedType, enumType }, scope) {
  const own = `${scope}${name}`;
  return [
    own,
    ...nestedType.flatMap((each) => symbolsOfMessage(each, `${own}.`)),
    ...enumType.map((each) => `${own}.${each.name}`),
  ];
}
