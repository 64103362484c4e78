import { where } from '@agent-wallet/testing';
import { gatewaySettings } from '@agent-wallet/gateway';
import { historySettings } from '@agent-wallet/history';
import { runOps } from '@agent-wallet/ops';
import type { Environment } from '@agent-wallet/platform';
import { policySettings } from '@agent-wallet/policy';
import { predictionSettings } from '@agent-wallet/prediction';
import { signerSettings } from '@agent-wallet/signer';
import { swapSettings } from '@agent-wallet/swap';
import { walletSettings } from '@agent-wallet/wallet';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Service, SERVICES } from '../src/infrastructure/infrastructure.js';
import { environmentOf } from './kubernetes/environment.js';
import { policiesOf, reachable } from './kubernetes/network.js';
import { OF_OPERATORS } from './kubernetes/operator-shapes.js';
import { services, workloads } from './kubernetes/pods.js';
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
const GROUND = ['all-ask-dns', 'all-call-postgres', 'default-deny', 'gateway-answers-agent', 'postgres-answers-all'];
const BESIDE = {
  sandbox: [
    ...['demo-calls-its-own', 'postgres-answers-provision', 'provision-calls-its-own', 'sandbox-answers-admin'],
    ...['sandbox-answers-services', 'signer-answers-provision'],
  ],
  production: ['kafka-calls-itself', 'postgres-calls-itself', 'services-answer-prometheus', 'services-call-collector'],
};

const READERS: Record<Service, (environment: Environment) => unknown> = {
  gateway: gatewaySettings,
  wallet: walletSettings,
  swap: swapSettings,
  prediction: predictionSettings,
  policy: policySettings,
  signer: signerSettings,
  history: historySettings,
};

const PAGE = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');

/** Arrows of the picture that start at one of our services. */
function arrows(pattern: RegExp): string[] {
  return [...PAGE.matchAll(pattern)].map(([, from, to]) => `${from} calls ${to}`);
}
const CALLS = arrows(/^ *(\w+) -->\|gRPC\| (\w+)$/gm);
const OUTWARD = arrows(/^ *(\w+) -->(?:\|reads\|)? (chain|aggregator|exchange|prices|mail)\b/gm);
const EVENTS = [...arrows(/^ *(\w+) -\.->\|events\| (stream)\b/gm), 'history calls stream'];

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

    it.each(SERVICES)('tell %s everything that it must know', (service) => {
      const [container] = services(manifests).get(service)!.spec.template.spec.containers;
      const environment = environmentOf(container!, manifests, MADE[overlay]);
      expect(() => READERS[service](environment)).not.toThrow();
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
      expect(said.join()).toContain("no such file or directory, open '/run/secrets/tls/");
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
  it('lets those reach Postgres who keep something there, and commands that read it', () => {
    const migrations = [...SERVICES, 'events'].map((name) => `${name}-migration`);
    const callers = [...SERVICES, ...migrations, 'audit', 'keys', 'rebuild', 'provision'];
    const expected = callers.map((name) => `${name} calls postgres`);
    expect(reachable(render('sandbox'), 5_432).sort()).toEqual(expected.sort());
  });
});

describeIfRendered('the overlay production', () => {
  const manifests = () => render('production');

  it('has every secret from somewhere', () => {
    const made = madeSecrets(manifests());
    expect([...neededSecrets(manifests())].filter((name) => !made.has(name))).toEqual([]);
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

interface KafkaTopic extends Manifest {
  readonly spec: { readonly partitions: number; readonly replicas: number; readonly config: Topic['config'] };
}
