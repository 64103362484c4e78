import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the code lies that runs here: one file when it is bundled, otherwise the folder that this file is below. */
export function ownProgram(): string {
  const file = fileURLToPath(import.meta.url);
  return path.basename(file) === 'main.js' ? file : path.dirname(path.dirname(file));
}
