import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
/** Name of the need, for people. */
const NEED = 'Chromium or Chrome on the PATH';

/**
 * Returns the file of a browser that speaks the DevTools protocol; undefined where this machine has none. npm does not
 * bring one. With REQUIRE_BROWSER=1 it throws in place of that.
 * @example
 * const BROWSER = browserOnPath();
 * where(describe, { name: 'Chromium or Chrome on the PATH', isMet: BROWSER !== undefined })('the page', () => {});
 */
export function browserOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const file = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(canExecute);
  if (file === undefined && process.env['REQUIRE_BROWSER'] === '1') throw new Error(`There is no ${NEED}.`);
  return file;
}

function canExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
