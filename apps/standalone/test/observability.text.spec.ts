import { signerV1 } from '@agent-wallet/contracts';
import { isErrorCode } from '@agent-wallet/kernel';
import { runOps } from '@agent-wallet/ops';
import { METRICS } from '@agent-wallet/telemetry';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { SERVICES } from '../src/infrastructure/infrastructure.js';
import { readDashboards, readPage, readRules, ROOT } from './observability/files.js';
import { asked, type Selector } from './observability/promql.js';
import { type Known, scrapeEverything } from './observability/scrape.js';

const { alerts, recordings } = readRules();
const dashboards = readDashboards();

/** Every expression, with where it stands. */
const EXPRESSIONS: ReadonlyArray<readonly [string, string]> = [
  ...recordings.map(({ record, expr }) => [record, expr] as const),
  ...alerts.map(({ alert, labels, expr }) => [`${alert} (${labels.severity})`, expr] as const),
  ...dashboards.flatMap(([file, { panels, templating }]) => [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`${file}: ${title}`, expr] as const)),
    ...templating.list.map(({ name, query }) => [`${file}: $${name}`, valuesQuery(query)] as const),
  ]),
  ...queriesOf('docs/slo.md'),
];

/** `label_values(metric, label)` asks for a label of a metric. */
function valuesQuery(query: string): string {
  const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
  if (!metric) throw new Error(`no query for a variable: ${query}`);
  return `max by (${label}) (${metric})`;
}

function queriesOf(page: string): Array<readonly [string, string]> {
  return [...readPage(page).matchAll(/```promql\n([^`]+)```/g)].flatMap(([, block]) =>
    block!
      .trim()
      .split('\n\n')
      .map((expr) => [page, expr] as const),
  );
}

const inOneWindow = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*');

/** Values that labels may have, where the set is closed. */
const VALUES: Readonly<Record<string, (value: string) => boolean>> = {
  agentwallet_service: (value) => SERVICES.some((service) => service === value),
  agentwallet_state: (value) => ['pending', 'submitted', 'confirmed', 'failed', 'expired', 'rejected'].includes(value),
  agentwallet_certificate: (value) => ['server', 'client', 'ca'].includes(value),
  agentwallet_memory: (value) => ['rss', 'heap_used', 'heap_total'].includes(value),
  quantile: (value) => ['0.5', '0.99', '1'].includes(value),
  error_type: (value) => value === '' || isErrorCode(value),
  rpc_method: (value) =>
    Object.keys(signerV1.SignerServiceService).some((name) => name === lowered(value)) || value === 'Authorize',
  job: (value) => value === 'agent-wallet',
  le: (value) => BUCKETS.has(Number(value)),
};
const lowered = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
const BUCKETS = new Set(Object.values(METRICS).flatMap((metric) => ('buckets' in metric ? [...metric.buckets] : [])));

let known: Map<string, ReadonlySet<string>>;
beforeAll(async () => {
  const scraped: Known = await scrapeEverything();
  known = new Map([...scraped, ...recordings.map(({ record }) => [record, new Set<string>()] as const)]);
});

function problemsOf(expr: string): string[] {
  const { selectors, grouping } = asked(inOneWindow(expr));
  const labels = new Set(selectors.flatMap(({ metric }) => [...(known.get(metric) ?? [])]));
  return [
    ...selectors.flatMap(selectorProblems),
    ...grouping.filter((label) => !labels.has(label)).map((label) => `nothing has the label ${label}`),
  ];
}

function selectorProblems({ metric, labels }: Selector): string[] {
  const has = known.get(metric);
  if (!has) return [`there is no metric ${metric}`];
  return labels.flatMap(({ name, operator, value }) => {
    if (!has.has(name)) return [`${metric} has no label ${name}`];
    const values = operator.endsWith('~') && /^[\w.|]+$/.test(value) ? value.split('|') : [value];
    const isClosed = VALUES[name] && (!operator.endsWith('~') || !value.includes('*'));
    return isClosed ? values.filter((each) => !VALUES[name]!(each)).map((each) => `${name} is never ${each}`) : [];
  });
}

describe('every expression of dashboards, rules and objectives', () => {
  it.each(EXPRESSIONS)('uses only what is exported: %s', (_, expr) => {
    expect(problemsOf(expr)).toEqual([]);
  });

  it.each([
    ['agentwallet_nothing_total', 'there is no metric agentwallet_nothing_total'],
    ['sum by (pod) (agentwallet_outbox_size)', 'nothing has the label pod'],
    [
      'agentwallet_outbox_size{agentwallet_upstream="chain"}',
      'agentwallet_outbox_size has no label agentwallet_upstream',
    ],
    ['agentwallet_outbox_size{agentwallet_service="purse"}', 'agentwallet_service is never purse'],
    ['agentwallet_operation_duration_bucket{le="31"}', 'le is never 31'],
  ])('would be found wrong: %s', (expr, problem) => {
    expect(problemsOf(expr)).toEqual([problem]);
  });

  it('leaves none of our metrics unused', () => {
    const used = new Set(
      EXPRESSIONS.flatMap(([, expr]) => asked(inOneWindow(expr)).selectors.map(({ metric }) => metric)),
    );
    const unused = Object.values(METRICS).filter(
      ({ name }) =>
        !['', '_total', '_count', '_bucket', '_sum'].some((end) => used.has(name.replaceAll('.', '_') + end)),
    );
    expect(unused.map(({ name }) => name)).toEqual([]);
  });
});

describe('an alert', () => {
  it.each(alerts.map((alert) => [`${alert.alert} (${alert.labels.severity})`, alert] as const))(
    '%s says what it means, and what to do',
    (_, { alert, annotations, for: wait, labels }) => {
      expect(annotations.runbook).toBe(`docs/runbooks/${alert.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.md`);
      expect(existsSync(path.join(ROOT, annotations.runbook))).toBe(true);
      const minutes = Number(wait.slice(0, -1)) * (wait.endsWith('h') ? 60 : 1);
      // A critical alert must leave time to act; a warning must not fire for what passes by itself.
      expect(minutes).toBeLessThanOrEqual(labels.severity === 'critical' ? 5 : 60);
    },
  );

  it('is one of its name and severity', () => {
    const names = alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a dashboard', () => {
  it.each(dashboards)('%s has panels with numbers of their own, beside each other', (_, { panels }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos, type, targets = [] } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(targets.length > 0).toBe(type !== 'row');
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('has a unique uid', () => {
    expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(dashboards.length);
  });
});

describe('runbooks', () => {
  const pages = readdirSync(path.join(ROOT, 'docs', 'runbooks')).map((name) => `docs/runbooks/${name}`);
  const scripts = Object.keys((JSON.parse(readPage('package.json')) as { readonly scripts: object }).scripts);
  const helps = new Map<string, string>();

  beforeAll(async () => {
    for (const [command, args] of [
      ['', []],
      ['keys', ['keys']],
      ['boots', ['boots']],
    ] as const) {
      await runOps([...args, '--help'], {}, (text) => helps.set(command, text));
    }
  });

  const everyPage = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);

  it.each(['README.md', ...everyPage])('%s names commands that exist', (page) => {
    for (const [, script, rest = ''] of readPage(page).matchAll(/npm run ([\w:-]+)(?: -- ([^\n`|#]*))?/g)) {
      expect(scripts).toContain(script);
      const words = rest.split(' ').filter((word) => /^[a-z][a-z-]*$/.test(word));
      const options = rest.split(' ').filter((word) => word.startsWith('--'));
      if (script !== 'ops' || words.length === 0) continue;
      const help = helps.get(words[0]!) ?? helps.get('')!;
      const command = words[0] === 'keys' ? words[1] : words.slice(0, 2).join(' ');
      expect(help).toMatch(new RegExp(`(^ +|-- )${command}\\b`, 'm'));
      expect(options.filter((option) => !help.includes(option))).toEqual([]);
    }
  });

  it.each(alerts.map(({ annotations }) => annotations.runbook))(
    '%s has the sections of a runbook, in order',
    (page) => {
      const sections = [...readPage(page).matchAll(/^## (.*)$/gm)].map(([, section]) => section);
      expect(sections).toEqual(['Impact', 'Diagnosis', 'Mitigation', 'Escalation']);
    },
  );

  it('are all in the list', () => {
    const list = readPage('docs/runbooks/README.md');
    const unlisted = pages.filter((page) => !page.endsWith('README.md') && !list.includes(`(${path.basename(page)})`));
    expect(unlisted).toEqual([]);
  });
});
