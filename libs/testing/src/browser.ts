import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import type { Need } from './where-possible.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
const NEED = 'Chromium or Chrome on the PATH';

/**
 * Returns what tests of pages need, which npm does not bring.
 * @throws Error with REQUIRE_BROWSER=1 where this machine has no browser
 */
export function needsBrowser(): Need {
  const isMet = browserOnPath() !== undefined;
  if (!isMet && process.env['REQUIRE_BROWSER'] === '1') throw new Error(`There is no ${NEED}.`);
  return { name: NEED, isMet };
}

/** Starts a browser without a window, and with a profile that is removed when it closes. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = browserOnPath();
  if (executablePath === undefined) throw new Error(`There is no ${NEED}.`);
  // Few tests need it, and it is slow to load.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}

/** Returns the file of a browser that speaks the DevTools protocol; undefined where this machine has none. */
function browserOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(canExecute);
}

function canExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
