import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../running/process.mjs';
import { readNames, readTelemetryPage, telemetryPage } from './telemetry-tables.mjs';

let names;

beforeAll(async () => {
  names = await readNames();
});

const sources = ['libs', 'apps']
  .flatMap((kind) => readdirSync(path.join(root, kind)).map((name) => path.join(root, kind, name, 'src')))
  .filter((folder) => existsSync(folder) && !folder.includes(path.join('libs', 'telemetry')))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((file) => /(?<!\.spec)\.ts$/.test(file) && !file.includes('generated'))
      .map((file) => ({ file: path.join(folder, file), text: readFileSync(path.join(folder, file), 'utf8') })),
  );

/** How often each declared name is used, by its key. */
function unusedOf(object, keys) {
  const all = sources.map(({ text }) => text).join('\n');
  const own = readFileSync(path.join(root, 'libs/telemetry/src/names.ts'), 'utf8');
  const inside = ['upstream.ts', 'process-watch.ts', 'watches.ts', 'instruments.ts', 'spans.ts']
    .map((file) => readFileSync(path.join(root, 'libs/telemetry/src', file), 'utf8'))
    .join('\n');
  return keys.filter((key) => {
    const used = new RegExp(`\\b${object}\\.${key}\\b`);
    return !used.test(all) && !used.test(inside) && !new RegExp(`\\bA\\.${key}\\b`).test(own);
  });
}

describe('the names of telemetry', () => {
  it('are on the page as they are', async () => {
    expect(await telemetryPage()).toBe(readTelemetryPage());
  });

  it('are the only ones: nothing else makes an instrument, a span or a tracer', () => {
    const making =
      /\b(createCounter|createHistogram|createObservableGauge|createUpDownCounter|getMeter|getTracer)\(|@opentelemetry\//;
    expect(sources.filter(({ text }) => making.test(text)).map(({ file }) => path.relative(root, file))).toEqual([]);
  });

  it('are unique, and used', () => {
    for (const declared of [names.METRICS, names.ATTRIBUTES, names.SPANS]) {
      const all = Object.values(declared).map(({ name }) => name);
      expect(new Set(all).size).toBe(all.length);
    }
    expect(unusedOf('METRICS', Object.keys(names.METRICS))).toEqual([]);
    expect(unusedOf('ATTRIBUTES', Object.keys(names.ATTRIBUTES))).toEqual([]);
  });
});
