// Formats a generated page as `npm run format` would.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { root } from './process.mjs';

const OPTIONS = JSON.parse(readFileSync(path.join(root, '.oxfmtrc.json'), 'utf8'));
delete OPTIONS.ignorePatterns; // of the command alone

/** Returns the text as formatted for that file. Throws when the formatter cannot parse it. */
export async function formatted(file, text) {
  const { code, errors } = await format(path.basename(file), text, OPTIONS);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
