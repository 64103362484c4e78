import { where } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { CERTIFIED, usesOf } from '../src/infrastructure/infrastructure.js';
import { poolSizes } from './kubernetes/pools.js';
import { services, workloads } from './kubernetes/pods.js';
import { canRender, type Manifest, render, renderPatched } from './kubernetes/render.js';
import { madeSecrets } from './kubernetes/secrets.js';
import { readPage, readRules } from './observability/files.js';

const describeIfRendered = where(describe, { name: 'kubectl', isMet: canRender() });
const BARMAN = 'barman-cloud.cloudnative-pg.io';

let manifests: readonly Manifest[];

/** The objects of a kind, as far as a test looks at them. */
function all<Spec>(kind: string, of = manifests): ReadonlyArray<Manifest & { readonly spec: Spec }> {
  return of.filter((manifest) => manifest.kind === kind) as Array<Manifest & { readonly spec: Spec }>;
}

interface Cluster {
  readonly postgresql: { readonly parameters: { readonly max_connections: string } };
  readonly plugins: ReadonlyArray<{
    readonly name: string;
    readonly isWALArchiver: boolean;
    readonly parameters: Archive;
  }>;
  readonly bootstrap: object;
  readonly externalClusters?: ReadonlyArray<{
    readonly name: string;
    readonly plugin: { readonly parameters: Archive };
  }>;
}

interface Archive {
  readonly barmanObjectName: string;
  readonly serverName: string;
}

describeIfRendered('the overlay production', () => {
  beforeAll(() => {
    manifests = render('production');
  });

  it('has connections for every replica that there may be, in a rollout too', () => {
    const pools = poolSizes();
    const scalers = all<{ readonly maxReplicas: number }>('HorizontalPodAutoscaler');
    expect(scalers.map(({ metadata }) => metadata.name).sort()).toEqual([...pools.keys()].sort());
    const ofServices = scalers.map(({ metadata: { name }, spec }) => {
      const { strategy } = services(manifests).get(name)!.spec as unknown as Rollout;
      // One that comes, and the one that it replaces, which ends its calls.
      const pods = spec.maxReplicas + 2 * strategy.rollingUpdate.maxSurge;
      return pods * pools.get(name as never)!;
    });
    // Migrations and operators' commands have two at most; Postgres keeps three for its superuser, the operator asks a few.
    const jobs = workloads(manifests).filter(({ kind }) => kind !== 'Deployment').length * 2;
    const [cluster] = all<Cluster>('Cluster');
    const needed = ofServices.reduce((sum, each) => sum + each, 0) + jobs + 3 + 10;
    expect(needed).toBeLessThanOrEqual(Number(cluster!.spec.postgresql.parameters.max_connections));
  });

  it('archives the log of Postgres, and makes a backup of it by a schedule, with credentials from somewhere', () => {
    const [cluster] = all<Cluster>('Cluster');
    const archivers = cluster!.spec.plugins.filter(({ isWALArchiver }) => isWALArchiver);
    expect(archivers.map(({ name }) => name)).toEqual([BARMAN]);
    const stores = all<object>('ObjectStore');
    expect(stores.map(({ metadata }) => metadata.name)).toEqual([archivers[0]!.parameters.barmanObjectName]);
    const schedules = all<object>('ScheduledBackup');
    expect(schedules.map(({ spec }) => spec)).toEqual([
      expect.objectContaining({
        cluster: { name: cluster!.metadata.name },
        method: 'plugin',
        pluginConfiguration: { name: BARMAN },
      }),
    ]);
    const made = madeSecrets(manifests);
    const secrets = [...JSON.stringify(stores[0]!.spec).matchAll(/"key":"[^"]+","name":"([^"]+)"/g)];
    expect(secrets.map(([, name]) => made.has(name!))).toEqual([true, true]);
  });

  it('can be patched as the runbook says to be restored from that archive, into another', () => {
    const [, block] = /```yaml\n([^`]*\/spec\/bootstrap[^`]*)```/.exec(readPage('docs/runbooks/restore-a-backup.md'))!;
    const [before] = all<Cluster>('Cluster');
    const [restored] = all<Cluster>(
      'Cluster',
      renderPatched('production', 'Cluster', block!.replaceAll(/^ {3}/gm, '')),
    );
    const [lost, own] = [before!.spec.plugins[0]!.parameters, restored!.spec.plugins[0]!.parameters];
    expect(restored!.metadata.name).toBe(before!.metadata.name);
    expect(restored!.spec.bootstrap).toEqual({ recovery: expect.objectContaining({ source: 'before' }) });
    expect(restored!.spec.externalClusters).toEqual([{ name: 'before', plugin: { name: BARMAN, parameters: lost } }]);
    expect(own).not.toEqual(lost);
  });

  it('is backed up after a restore as it is every day', () => {
    const [, text] = /<<'END'\n([^]*?kind: Backup\n[^]*?) *END\n/.exec(readPage('docs/runbooks/restore-a-backup.md'))!;
    const { spec } = parse(text!.replaceAll(/^ {3}/gm, '')) as { spec: object };
    const [daily] = all<object>('ScheduledBackup');
    expect(daily!.spec).toMatchObject(spec);
    expect(Object.keys(spec)).toEqual(['cluster', 'method', 'pluginConfiguration']);
  });

  it('renews the authority with the key that it has, and every other certificate with a new one', () => {
    const policies = all<Certificate>('Certificate').map(({ metadata, spec }) => [
      metadata.name,
      spec.privateKey.rotationPolicy,
    ]);
    const expected = CERTIFIED.flatMap((name) =>
      usesOf(name).map((use) => [use === 'server' ? name : `${name}-client`, 'Always'] as const),
    );
    expect(Object.fromEntries(policies)).toEqual({
      'internal-authority': 'Never',
      ...Object.fromEntries(expected),
    });
  });
});

describeIfRendered('the alert on certificates', () => {
  const hours = (text: string) => Number(/^(\d+)h$/.exec(text)![1]);
  const bounds = readRules()
    .alerts.filter(({ alert }) => alert === 'CertificateExpiringSoon')
    .map(({ expr, labels }) => {
      const found = [...expr.matchAll(/agentwallet_certificate=~?"([\w|]+)"\}\) - time\(\) < (\d+) \* 86400/g)];
      return [labels.severity, new Map(found.map(([, kind, days]) => [kind, Number(days) * 24]))] as const;
    });
  const hoursOf = (severity: string, kind: string) => new Map(bounds).get(severity as never)!.get(kind)!;

  it.each(['warning', 'critical'])('is silent while renewals happen in time: %s', (severity) => {
    const certificates = all<Certificate>('Certificate', render('production'));
    const authority = certificates.find(({ spec }) => spec.isCA)!;
    const own = certificates.filter(({ spec }) => !spec.isCA);
    for (const { spec } of own) expect(hoursOf(severity, 'server|client')).toBeLessThan(hours(spec.renewBefore));
    // A renewed authority reaches a service with the service's own next certificate.
    const longest = Math.max(...own.map(({ spec }) => hours(spec.duration)));
    expect(hoursOf(severity, 'ca')).toBeLessThan(hours(authority.spec.renewBefore) - longest);
  });

  it('says it again, a day later at the earliest, if the operator has done nothing', () => {
    for (const kind of ['server|client', 'ca']) {
      expect(hoursOf('critical', kind)).toBeGreaterThanOrEqual(24);
      expect(hoursOf('warning', kind) - hoursOf('critical', kind)).toBeGreaterThanOrEqual(24);
    }
  });

  it('is what the operator of the cluster reads, too', () => {
    const made = all<{ groups: unknown }>('PrometheusRule', render('production')).find(
      ({ metadata }) => metadata.name === 'alerts',
    )!;
    // On its way through kubectl, lines are folded elsewhere.
    const folded = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/(\\n|\s)+/g, ' '));
    expect(folded(made.spec)).toEqual(folded(parse(readPage('deploy/observability/alerts.yaml'))));
  });
});

interface Rollout {
  readonly strategy: { readonly rollingUpdate: { readonly maxSurge: number } };
}

interface Certificate {
  readonly isCA?: boolean;
  readonly duration: string;
  readonly renewBefore: string;
  readonly privateKey: { readonly rotationPolicy: string };
}
