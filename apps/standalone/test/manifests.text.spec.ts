import { where } from '@agent-wallet/testing';
import { runOps } from '@agent-wallet/ops';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import { CERTIFIED, SERVICES, usesOf } from '../src/infrastructure/infrastructure.js';
import { READERS, SERVERS } from './harness/settings-readers.js';
import { environmentOf } from './kubernetes/environment.js';
import { egressOf, policiesOf, reachable } from './kubernetes/network.js';
import { OF_OPERATORS } from './kubernetes/operator-shapes.js';
import { type Container, services, type Workload, workloads } from './kubernetes/pods.js';
import { canRender, type Manifest, render, renderWith } from './kubernetes/render.js';
import { problemsOf } from './kubernetes/rules.js';
import { madeSecrets, neededSecrets } from './kubernetes/secrets.js';
import { BUILT_IN } from './kubernetes/shapes.js';

const GRPC_PORT = 50_051;
const SHAPES = new Map<string, (typeof BUILT_IN)[number][1]>([...BUILT_IN, ...OF_OPERATORS]);
const OVERLAYS = ['sandbox', 'production'] as const;

/** ConfigMaps that the sandbox's own job makes. */
const MADE = { sandbox: ['operator-wallets', 'permit-public-keys'], production: [] } as const;

/** Besides the arrows of the picture. */
const GROUND = [
  ...['all-ask-dns', 'all-call-postgres', 'console-answers-owner', 'default-deny', 'gateway-answers-agent'],
  'postgres-answers-all',
];
const BESIDE = {
  sandbox: [
    ...['demo-calls-its-own', 'postgres-answers-provision', 'provision-calls-its-own', 'sandbox-answers-admin'],
    ...['sandbox-answers-services', 'signer-answers-provision', 'console-calls-sandbox', 'sandbox-answers-console'],
  ],
  production: [
    ...['kafka-calls-itself', 'postgres-calls-itself', 'services-answer-prometheus', 'services-call-collector'],
    // Documents of apps that connect by OAuth are on the internet alone.
    'gateway-calls-apps',
  ],
};

const PAGE = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');

/** Arrows of the picture that start at one of our services. */
function arrows(pattern: RegExp): string[] {
  return [...PAGE.matchAll(pattern)].map(([, from, to]) => `${from} calls ${to}`);
}
const CALLS = arrows(/^ *(\w+) -->\|gRPC\| (\w+)$/gm);
const OUTWARD = arrows(/^ *(\w+) -->(?:\|reads\|)? (chain|aggregator|exchange|prices|mail)\b/gm);
const EVENTS = [...arrows(/^ *(\w+) -\.->\|events\| (stream)\b/gm), 'history calls stream'];

/** The Deployment of one of our servers. */
function deployment(name: string, manifests: readonly Manifest[]): Workload {
  return workloads(manifests).find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)!;
}

/** The container of a server that has one. */
function containerOf(name: string, manifests: readonly Manifest[]): Container {
  return deployment(name, manifests).spec.template.spec.containers[0]!;
}

/** Whether a block of addresses is more than the nodes or pods of one ingress. */
function isWide(block: string): boolean {
  const [address, bits] = block.split('/');
  return bits !== undefined && Number(bits) < (isIPv6(address!) ? 64 : 24);
}

const describeIfRendered = where(describe, { name: 'kubectl', isMet: canRender() });

for (const overlay of OVERLAYS)
  describeIfRendered(`the manifests of the overlay ${overlay}`, () => {
    let manifests: readonly Manifest[];

    beforeAll(() => {
      manifests = render(overlay);
    });

    it('have known kinds, and only fields that these have', () => {
      const problems = manifests.flatMap((manifest) => {
        const shape = SHAPES.get(`${manifest.apiVersion} ${manifest.kind}`);
        const result = shape?.safeParse(manifest);
        if (result?.success) return [];
        const issues = result
          ? result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
          : ['unknown'];
        return [`${manifest.kind} ${manifest.metadata.name}: ${issues.join('; ')}`];
      });
      expect(problems).toEqual([]);
    });

    it('keep our own rules: probes, limits, restricted pods, pinned images, no secret in plain text', () => {
      expect(problemsOf(manifests)).toEqual([]);
    });

    it('let exactly those services call each other that the picture shows', () => {
      const extra = overlay === 'sandbox' ? ['operator-wallets calls signer'] : [];
      expect(reachable(manifests, GRPC_PORT).sort()).toEqual([...CALLS, ...extra].sort());
    });

    it('have one policy for each end of each arrow, and a known few beside', () => {
      const out = [...CALLS, ...OUTWARD, ...(overlay === 'production' ? EVENTS : [])];
      const names = out.map((arrow) => arrow.replaceAll(' ', '-'));
      const into = CALLS.map((arrow) => arrow.split(' ')).map(([from, , to]) => `${to}-answers-${from}`);
      expect(
        policiesOf(manifests)
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual([...names, ...into, ...GROUND, ...BESIDE[overlay]].sort());
    });

    it('close everything that no other policy opens', () => {
      const closed = policiesOf(manifests).find(({ metadata }) => metadata.name === 'default-deny');
      expect(closed?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    });

    it.each(SERVERS)('tell %s everything that it must know', (server) => {
      const environment = environmentOf(containerOf(server, manifests), manifests, MADE[overlay]);
      expect(() => READERS[server](environment)).not.toThrow();
    });

    it('have the gateway believe the addresses of proxies, and no block that others have addresses of', () => {
      const { TRUSTED_PROXIES } = environmentOf(containerOf('gateway', manifests), manifests, MADE[overlay]);
      const blocks = (TRUSTED_PROXIES ?? '').split(',').filter(Boolean);
      expect(blocks.filter(isWide)).toEqual([]);
      expect(blocks).toHaveLength(overlay === 'production' ? 1 : 0);
    });

    it('run a console that holds no secret and can be reached from outside', () => {
      const server = deployment('console', manifests);
      expect(neededSecrets([server])).toEqual(new Set());
      expect(server.spec.template.spec.volumes).toBeUndefined();
      const { ports } = containerOf('console', manifests);
      const opened = policiesOf(manifests).find(({ metadata }) => metadata.name === 'console-answers-owner')!;
      expect(opened.spec.ingress).toEqual([{ ports: [{ protocol: 'TCP', port: ports![0]!.containerPort }] }]);
      const address = environmentOf(containerOf('console', manifests), manifests, [])['CONSOLE_ADDRESS'];
      expect(address).toBe(`0.0.0.0:${ports![0]!.containerPort}`);
    });

    it('let the console call no service', () => {
      const { labels } = deployment('console', manifests).spec.template.metadata;
      expect(
        egressOf(manifests, labels)
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual(['all-ask-dns', ...(overlay === 'sandbox' ? ['console-calls-sandbox'] : []), 'default-deny']);
    });

    it('say the same to the console as to gateway and policy', () => {
      const of = (server: (typeof SERVERS)[number]) =>
        environmentOf(containerOf(server, manifests), manifests, MADE[overlay]);
      const [gateway, policy, page] = [of('gateway'), of('policy'), of('console')];
      expect(gateway['OWNER_ORIGIN']).toBe(policy['OWNER_ORIGIN']);
      expect(gateway['OWNER_CONSOLE']).toBe('true');
      expect(page['SOLANA_NETWORK']).toBe(gateway['SOLANA_NETWORK']);
      // Browsers send the session's cookie to the same site only.
      const site = (url: string | undefined) => new URL(url!).hostname.split('.').slice(-2).join('.');
      expect(site(page['API_URL'])).toBe(site(gateway['OWNER_ORIGIN']));
    });

    it("have pods for operators' commands that know where to go, and what they are", async () => {
      const pods = new Map(
        workloads(manifests)
          .filter(({ kind }) => kind === 'CronJob')
          .map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0]!] as const),
      );
      expect([...pods.keys()].sort()).toEqual(['audit', 'keys', 'ops', 'rebuild']);
      const said: string[] = [];
      await runOps(['freezes', 'list'], environmentOf(pods.get('ops')!, manifests, []), (line) => said.push(line));
      expect(said.join()).toContain("no such file or directory, open '/run/secrets/client-tls/");
      for (const [name, role] of [
        ['audit', 'history'],
        ['keys', 'signer'],
      ] as const) {
        const { DATABASE_URL } = environmentOf(pods.get(name)!, manifests, []);
        expect(DATABASE_URL).toContain(`//${role}@postgres:5432/`);
        const password = pods.get(name)!.env!.find((variable) => variable.name === 'PGPASSWORD');
        expect(password?.valueFrom?.secretKeyRef).toEqual({ name: `${role}-database`, key: 'password' });
      }
      const { DATABASE_URL } = environmentOf(pods.get('rebuild')!, manifests, []);
      expect(DATABASE_URL).toContain('//history_owner@postgres:5432/');
    });

    it('run every service, and a migration of each', () => {
      expect([...services(manifests).keys()].sort()).toEqual([...SERVICES].sort());
      const jobs = workloads(manifests).filter(({ kind }) => kind === 'Job');
      const migrations = SERVICES.map((service) => `migrate-${service}`);
      expect(jobs.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(migrations));
    });
  });

describeIfRendered('the overlay sandbox', () => {
  it('lets the console and the makers of its wallets reach the admin API', () => {
    expect(reachable(render('sandbox'), 8_905).sort()).toEqual([
      'console calls sandbox',
      'operator-wallets calls sandbox',
    ]);
  });

  it('lets those reach Postgres who keep something there, and commands that read it', () => {
    const migrations = [...SERVICES, 'events'].map((name) => `${name}-migration`);
    const callers = [...SERVICES, ...migrations, 'audit', 'keys', 'rebuild', 'provision'];
    const expected = callers.map((name) => `${name} calls postgres`);
    expect(reachable(render('sandbox'), 5_432).sort()).toEqual(expected.sort());
  });
});

describeIfRendered('the overlay production', () => {
  const manifests = () => render('production');

  it('requires an owner for spending', () => {
    expect(environmentOf(containerOf('policy', manifests()), manifests(), [])['OWNER_REQUIRED']).toBe('true');
  });

  it('routes the host of the public API to the gateway, and the host where owners sign to the console', () => {
    const routes = (manifests() as HttpRoute[]).filter(({ kind }) => kind === 'HTTPRoute');
    const hosts = routes.map(({ spec }) => [spec.hostnames.join(), spec.rules[0]!.backendRefs[0]!.name]);
    const { PUBLIC_URL, OWNER_ORIGIN } = environmentOf(containerOf('gateway', manifests()), manifests(), []);
    expect(environmentOf(containerOf('console', manifests()), manifests(), [])['API_URL']).toBe(PUBLIC_URL);
    expect(hosts).toEqual(
      expect.arrayContaining([
        [new URL(PUBLIC_URL!).host, 'gateway-public'],
        [new URL(OWNER_ORIGIN!).host, 'console'],
      ]),
    );
    expect(hosts).toHaveLength(2);
  });

  it('has every secret from somewhere', () => {
    const made = madeSecrets(manifests());
    expect([...neededSecrets(manifests())].filter((name) => !made.has(name))).toEqual([]);
  });

  it('has a certificate for each use of each name, and none for both', () => {
    const certificates = (manifests() as Certificate[]).filter(
      ({ kind, spec }) => kind === 'Certificate' && !spec.isCA,
    );
    const issued = certificates.map(({ spec }) => [spec.secretName, spec.dnsNames, spec.usages] as const);
    const expected = CERTIFIED.flatMap((name) =>
      usesOf(name).map((use) => {
        const secret = use === 'server' ? `${name}-tls` : `${name}-client-tls`;
        return [secret, [name], ['digital signature', `${use} auth`]] as const;
      }),
    );
    expect(new Map(issued.map(([secret, ...rest]) => [secret, rest]))).toEqual(
      new Map(expected.map(([secret, ...rest]) => [secret, rest])),
    );
    expect(issued).toHaveLength(expected.length);
  });

  it('gives its pods certificates of their own name, for what they do', () => {
    const made = [...neededSecrets([...services(manifests()).values()])].filter((name) => name.endsWith('-tls'));
    const uses = { server: 'tls', client: 'client-tls' };
    expect(made.sort()).toEqual(SERVICES.flatMap((name) => usesOf(name).map((use) => `${name}-${uses[use]}`)).sort());
    for (const [name, { spec }] of services(manifests())) {
      const paths = environmentOf(spec.template.spec.containers[0]!, manifests(), []);
      expect('TLS_CLIENT_CERT_PATH' in paths).toBe(usesOf(name as (typeof SERVICES)[number]).includes('client'));
    }
  });

  it('has the topics of deploy/kafka', () => {
    const file = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'kafka', 'topics.json');
    const { topics } = JSON.parse(readFileSync(file, 'utf8')) as { topics: readonly Topic[] };
    const made = manifests().flatMap((manifest) => {
      const { metadata, spec } = manifest as KafkaTopic;
      if (manifest.kind !== 'KafkaTopic') return [];
      return [{ name: metadata.name, partitions: spec.partitions, replication: spec.replicas, config: spec.config }];
    });
    expect(made).toEqual(topics);
  });
});

describeIfRendered('services that verify the signer', () => {
  const VERIFIERS = ['policy', 'swap', 'wallet'] as const;

  it('are those of the component, and find what is accepted', () => {
    const manifests = renderWith('production', 'attested-signer', { 'signer-attestation': 'accepted.json' });
    expect(problemsOf(manifests)).toEqual([]);
    const configured = [...services(manifests)].flatMap(([service, { spec }]) => {
      const [container] = spec.template.spec.containers;
      const accepted = environmentOf(container!, manifests, [])['SIGNER_ATTESTATION_POLICY_PATH'];
      if (accepted === undefined) return [];
      const mount = container!.volumeMounts!.find(({ mountPath }) => mountPath === path.dirname(accepted));
      expect(mount?.name).toBe('signer-attestation');
      return [service];
    });
    expect(configured.sort()).toEqual(VERIFIERS);
    for (const service of VERIFIERS) {
      const [container] = services(manifests).get(service)!.spec.template.spec.containers;
      const settings = READERS[service](environmentOf(container!, manifests, []));
      expect(settings).toHaveProperty('signerAttestationPolicyPath', '/run/config/signer-attestation/accepted.json');
    }
  });
});

interface Topic {
  readonly name: string;
  readonly partitions: number;
  readonly replication: number;
  readonly config: Readonly<Record<string, string>>;
}

interface Certificate extends Manifest {
  readonly spec: {
    readonly secretName: string;
    readonly isCA?: boolean;
    readonly dnsNames: readonly string[];
    readonly usages: readonly string[];
  };
}

interface KafkaTopic extends Manifest {
  readonly spec: { readonly partitions: number; readonly replicas: number; readonly config: Topic['config'] };
}

interface HttpRoute extends Manifest {
  readonly spec: {
    readonly hostnames: readonly string[];
    readonly rules: ReadonlyArray<{ readonly backendRefs: ReadonlyArray<{ readonly name: string }> }>;
  };
}
