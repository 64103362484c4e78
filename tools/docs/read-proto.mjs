// Reads messages, enums and their comments from one of our protos: one statement a line, each with its comment before
// it.

/** @returns `Map(name → { doc, isEnum, fields: [{ name, number, type, doc }] })` of a file's text; nested names have a dot */
export function readProto(text) {
  const found = new Map();
  const open = [];
  let comment = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('//')) {
      comment.push(line.slice(2).trim());
      continue;
    }
    const doc = comment.join(' ');
    if (line !== '') comment = [];
    const [, kind, name] = /^(message|enum|oneof) (\w+) \{$/.exec(line) ?? [];
    if (name) {
      open.push({ kind, name });
      if (kind !== 'oneof') found.set(nameOf(open), { doc, isEnum: kind === 'enum', fields: [] });
    } else if (line === '}') {
      open.pop();
    } else {
      const [, type = '', field, number] = /^((?:[\w.]+ )*)(\w+) = (\d+);$/.exec(line) ?? [];
      if (field)
        found
          .get(nameOf(open))
          .fields.push({ name: field, number: Number(number), type: type.trim(), doc, in: open.at(-1) });
    }
  }
  return found;
}

function nameOf(open) {
  return open
    .filter(({ kind }) => kind !== 'oneof')
    .map(({ name }) => name)
    .join('.');
}
