#!/usr/bin/env node
// Makes the rules of deploy/observability what a cluster's Prometheus operator reads: a PrometheusRule of each file.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { formatted } from '../running/formatted.mjs';
import { isMain, root } from '../running/process.mjs';

const FILES = ['objectives', 'alerts'];
const TARGET = path.join(root, 'k8s', 'components', 'observability', 'rules.yaml');
const HEADER = '# Made of deploy/observability by tools/observability/prometheus-rules.mjs.\n';

/** The manifests as text. */
export async function prometheusRules() {
  const documents = FILES.map((name) => {
    const spec = parse(readFileSync(path.join(root, 'deploy', 'observability', `${name}.yaml`), 'utf8'));
    return stringify({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name }, spec });
  });
  return formatted(TARGET, HEADER + documents.join('---\n'));
}

if (isMain(import.meta)) writeFileSync(TARGET, await prometheusRules());
