import { where } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { canRender, type Manifest, render } from './kubernetes/render.js';
import { readPage, ROOT } from './observability/files.js';

const PAGES = [
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => path.join('docs', name)),
  ...readdirSync(ROOT),
].filter((name) => name.endsWith('.md'));

/** Every command of kubectl that some document says, with the document. */
const COMMANDS = PAGES.flatMap((page) =>
  [...readPage(page).matchAll(/\bkubectl (?:-n [\w-]+ )?([^`\n|;#]+)/g)].map(([, rest]) => `${page}: ${rest!.trim()}`),
);

const saying = (pattern: RegExp) => COMMANDS.filter((command) => pattern.test(command));

describe('commands in documents', () => {
  it('read all of the log of chosen pods: kubectl shows ten lines of each otherwise', () => {
    const chosen = saying(/: logs .*(-l|--selector)\b/);
    expect(chosen.length).toBeGreaterThan(15);
    expect(chosen.filter((command) => !/--tail=-?\d+/.test(command))).toEqual([]);
  });

  it('do not scale what an autoscaler scales', () => {
    expect(saying(/: scale (deploy|deployment)\b/)).toEqual([]);
  });
});

const describeIfRendered = where(describe, { name: 'kubectl', isMet: canRender() });

describeIfRendered('commands for a cluster', () => {
  const OVERLAYS = ['sandbox', 'production'] as const;
  const named = (kind: string, overlay: (typeof OVERLAYS)[number]) =>
    render(overlay).filter((manifest) => manifest.kind === kind);

  it('raise autoscalers to what they may reach', () => {
    const scalers = named('HorizontalPodAutoscaler', 'production') as Scaler[];
    const patches = saying(/: patch hpa /);
    expect(patches.length).toBeGreaterThan(1);
    for (const patch of patches) {
      const [, name, replicas] = /patch hpa (\S+) -p '\{"spec":\{"minReplicas":(\d+)\}\}'/.exec(patch)!;
      const meant = scalers.filter(({ metadata }) => name === '<service>' || metadata.name === name);
      expect(meant).not.toEqual([]);
      for (const { spec } of meant) expect(Number(replicas)).toBeLessThanOrEqual(spec.maxReplicas);
    }
  });

  it.each(OVERLAYS)('delete every job of %s that a new release recreates; each goes away by itself', (overlay) => {
    const [, key, values] = /delete jobs -l '(\S+) in \(([^)]+)\)'/.exec(saying(/: delete jobs /).join())!;
    const jobs = named('Job', overlay) as Job[];
    const components = jobs.map(({ metadata }) => metadata.labels![key!]);
    expect(values!.split(', ')).toEqual(expect.arrayContaining(components));
    expect(jobs.filter(({ spec }) => !spec.ttlSecondsAfterFinished).map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it.each(OVERLAYS)('find what they are made from in %s', (overlay) => {
    const there = named('CronJob', overlay).map(({ metadata }) => metadata.name);
    const created = saying(/: create job /).map((command) => /create job (\w+) --from=cronjob\/\1$/.exec(command)?.[1]);
    expect(new Set(created)).toEqual(new Set(there));
    const executed = saying(/: exec /).map((command) => /exec (?:-i )?job\/(\w+) -- /.exec(command)?.[1]);
    expect(executed.filter((name) => !there.includes(name!))).toEqual([]);
  });
});

interface Scaler extends Manifest {
  readonly spec: { readonly maxReplicas: number };
}

interface Job extends Manifest {
  readonly spec: { readonly ttlSecondsAfterFinished?: number };
}
