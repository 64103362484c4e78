/** JSON text that is already written: u64 values that a number cannot hold, stored metadata, hostile prices. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Writes JSON in which a bigint is an exact number and RawJson goes in as it is. Real nodes write u64 values
 * unquoted; JSON.stringify can do neither.
 */
export function writeJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'object':
      break;
    case 'undefined':
      return 'null';
    default:
      return JSON.stringify(value);
  }
  if (value === null) return 'null';
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  let text = '';
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name];
    if (field === undefined) continue;
    text += `${text ? ',' : ''}${JSON.stringify(name)}:${writeJson(field)}`;
  }
  return `{${text}}`;
}
