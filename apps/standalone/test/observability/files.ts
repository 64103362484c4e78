import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** The repository. */
export const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');

/** Where dashboards and rules are. */
const FOLDER = path.join(ROOT, 'deploy', 'observability');

const text = z.string().min(1);
const recording = z.strictObject({ record: text, expr: text });
const alert = z.strictObject({
  alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
  expr: text,
  for: z.string().regex(/^\d+[mh]$/),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: text, description: text, runbook: text }),
});
const rules = z.strictObject({
  groups: z.array(z.strictObject({ name: text, rules: z.array(z.union([recording, alert])).min(1) })).min(1),
});

/** An alert as Prometheus reads it. */
export type Alert = z.infer<typeof alert>;

/** A recorded expression. */
export type Recording = z.infer<typeof recording>;

/** All rules. @throws ZodError for what Prometheus would not know */
export function readRules(): { readonly alerts: readonly Alert[]; readonly recordings: readonly Recording[] } {
  const all = ['objectives.yaml', 'alerts.yaml'].flatMap((file) =>
    rules.parse(parse(readFileSync(path.join(FOLDER, file), 'utf8'))).groups.flatMap((group) => group.rules),
  );
  return {
    alerts: all.filter((rule) => 'alert' in rule),
    recordings: all.filter((rule) => 'record' in rule),
  };
}

const panel = z.looseObject({
  id: z.number(),
  title: text,
  type: z.enum(['timeseries', 'stat', 'table', 'bargauge', 'row']),
  gridPos: z.strictObject({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  datasource: z.strictObject({ type: z.literal('prometheus'), uid: z.literal('prometheus') }).optional(),
  targets: z.array(z.looseObject({ refId: text, expr: text, legendFormat: z.string().optional() })).optional(),
});
const dashboard = z.looseObject({
  uid: text,
  title: text,
  schemaVersion: z.number(),
  refresh: text,
  tags: z.array(text),
  templating: z.strictObject({ list: z.array(z.looseObject({ name: text, query: text })) }),
  panels: z.array(panel).min(1),
});

/** A dashboard as Grafana reads it. */
export type Dashboard = z.infer<typeof dashboard>;

/** All dashboards, by the names of their files. */
export function readDashboards(): ReadonlyArray<readonly [string, Dashboard]> {
  const folder = path.join(FOLDER, 'dashboards');
  return readdirSync(folder).map((name) => {
    const read: unknown = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    return [name, dashboard.parse(read)] as const;
  });
}

/** What is written in a page of docs. */
export const readPage = (page: string): string => readFileSync(path.join(ROOT, page), 'utf8');
