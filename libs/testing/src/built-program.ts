import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * Returns the path of an app's `main.js`: its bundle if there is one, which starts with half of the CPU, otherwise what is
 * built. A build removes an older bundle.
 */
export function builtProgram(app: string): string {
  const packageFile = createRequire(import.meta.url).resolve(`@agent-wallet/${app}/package.json`);
  const [bundled, built] = ['bundle', 'dist'].map((name) => path.join(path.dirname(packageFile), name, 'main.js'));
  return existsSync(bundled!) ? bundled! : built!;
}
