import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the path of the code that runs here: one file when it is bundled, otherwise the folder above this file. */
export function ownProgram(): string {
  const file = fileURLToPath(import.meta.url);
  return path.basename(file) === 'main.js' ? file : path.dirname(path.dirname(file));
}
