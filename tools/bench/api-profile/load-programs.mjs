// The load generators k6 (HTTP) and ghz (gRPC): Go programs, which are found or installed.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { root, run } from '../../process.mjs';
import { CannotMeasure } from '../measure/cannot-measure.mjs';

const PROGRAMS = { k6: 'go.k6.io/k6@v1.8.1', ghz: 'github.com/bojand/ghz/cmd/ghz@v0.120.0' };
const MINUTE_MS = 60_000;

/**
 * Paths of both programs, in the versions named here, installed by `go install` into a cache of the workspace.
 * @throws CannotMeasure where they are not there and Go is not, either
 */
export async function loadPrograms() {
  const found = {};
  for (const [name, module] of Object.entries(PROGRAMS)) found[name] = await installed(name, module);
  return found;
}

async function installed(name, module) {
  const folder = path.join(root, 'node_modules', '.cache', 'load-programs', module.slice(module.indexOf('@') + 1));
  const program = path.join(folder, name);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  console.log(`  installing ${module} …`);
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  const limitMs = 20 * MINUTE_MS;
  const { code, output } = await run(['go', 'install', module], { env, capture: true, limitMs }).catch((error) => ({
    code: 1,
    output: String(error),
  }));
  if (code !== 0) throw new CannotMeasure(`${name} is installed by Go 1.24 or newer, and that failed: ${output}`);
  return program;
}
