// The tables of docs/telemetry.md, from the names that libs/telemetry declares.
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatted } from '../running/formatted.mjs';
import { isMain, root } from '../running/process.mjs';

const PAGE = path.join(root, 'docs/telemetry.md');
const NAMES = path.join(root, 'libs/telemetry/src/names.ts');

const BEGIN = '<!-- made by tools/docs/telemetry-tables.mjs -->';
const END = '<!-- made until here -->';

/** The names as they are in the source. */
export async function readNames() {
  const { outputFiles } = await build({ entryPoints: [NAMES], bundle: true, format: 'esm', write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** The page as it is. */
export const readTelemetryPage = () => readFileSync(PAGE, 'utf8');

/** @returns the page with its tables rebuilt. @throws Error when the page has lost the marks around them */
export async function telemetryPage() {
  const [before, , ...after] = readTelemetryPage().split(new RegExp(`${BEGIN}|${END}`));
  if (after.length !== 1) throw new Error(`docs/telemetry.md must have the marks ${BEGIN} and ${END}, once each`);
  const text = `${before}${BEGIN}\n\n${tablesOf(await readNames())}\n\n${END}${after[0]}`;
  return formatted(PAGE, text);
}

function tablesOf({ SPANS, ATTRIBUTES, METRICS }) {
  const named = ({ name, help }) => `| \`${name}\` | ${help} |`;
  const metric = ({ name, kind, unit, labels, help }) =>
    `| \`${name}\` | ${kind} | ${unit} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help} |`;
  return [
    '### Spans',
    ['| Name | What |', '| --- | --- |', ...Object.values(SPANS).map(named)].join('\n'),
    '### Metrics',
    [
      '| Name | Kind | Unit | Labels | What |',
      '| --- | --- | --- | --- | --- |',
      ...Object.values(METRICS).map(metric),
    ].join('\n'),
    '### Attributes and labels',
    ['| Name | What it says |', '| --- | --- |', ...Object.values(ATTRIBUTES).map(named)].join('\n'),
  ].join('\n\n');
}

if (isMain(import.meta)) writeFileSync(PAGE, await telemetryPage());
