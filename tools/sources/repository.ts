import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The repository's folder. */
export const ROOT = path.join(import.meta.dirname, '..', '..');

/** Generated or downloaded content; `.git` is a file in a worktree. */
const EXCLUDED = new Set([
  ...['node_modules', 'dist', 'bundle', 'generated', 'coverage', 'schema', '.git', '.nx', '.data'],
  ...['.venv', '__pycache__', '.pytest_cache', '.ruff_cache'],
]);
const GENERATED = new Set(['package-lock.json', 'LICENSE', 'docs/grpc.md']);

/** Lists the hand-written files below a folder, relative to the repository. */
export function filesBelow(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (EXCLUDED.has(entry.name) || GENERATED.has(file)) return [];
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
}

/** Reads a file of the repository as text. */
export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
