import { where } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { services, type Workload } from './kubernetes/pods.js';
import { canRender, type Manifest, render } from './kubernetes/render.js';
import { reachable } from './kubernetes/network.js';
import { problemsOf } from './kubernetes/rules.js';
import { BUILT_IN } from './kubernetes/shapes.js';

const describeIfRendered = where(describe, { name: 'kubectl', isMet: canRender() });

/** A manifest of the wallet service in which one text was replaced, wherever it stood. */
const CHANGES: ReadonlyArray<readonly [problem: string, from: RegExp, to: string]> = [
  ['service has an image without tag or digest', /agent-wallet:dev/g, 'agent-wallet'],
  ['service has the latest image, whichever that is', /agent-wallet:dev/g, 'agent-wallet:latest'],
  ['may run as root', /"runAsNonRoot":true/, '"runAsNonRoot":false'],
  ['may run as root', /"runAsUser":10001/, '"runAsUser":0'],
  ['has no seccomp profile', /"RuntimeDefault"/, '"Unconfined"'],
  ['gets a token that it does not need', /"automountServiceAccountToken":false/, '"automountServiceAccountToken":true'],
  ['service requests nothing', /"cpu":"100m",/, ''],
  ['service has no limit of memory', /"limits":\{"memory":"512Mi"\}/, '"limits":{}'],
  ['service may gain rights', /"allowPrivilegeEscalation":false/g, '"allowPrivilegeEscalation":true'],
  ['service may write to its image', /"readOnlyRootFilesystem":true/g, '"readOnlyRootFilesystem":false'],
  ['service keeps capabilities', /"drop":\["ALL"\]/g, '"drop":[]'],
  ['service has not all three probes', /"livenessProbe"/, '"noProbe"'],
  [
    'service is killed before it has drained',
    /"terminationGracePeriodSeconds":60/,
    '"terminationGracePeriodSeconds":30',
  ],
  ['service has API_KEY in plain text', /"name":"GRPC_ADDRESS"/, '"name":"API_KEY"'],
  [
    'mounts tls, which is not there',
    /\{"name":"tls","secret":\{[^}]*\}\}/,
    '{"name":"other","emptyDir":{"sizeLimit":"1Mi"}}',
  ],
  ['never mounts other', /\{"name":"tls","secret":\{[^}]*\}\}/, '{"name":"other","emptyDir":{"sizeLimit":"1Mi"}}'],
  ['is in no namespace', /"namespace":"agent-wallet"/, '"namespace":"default"'],
  ['holds a secret', /"value":"production"/, '"value":"postgres://wallet:hush@postgres/wallet"'],
];

describeIfRendered('a manifest that breaks a rule', () => {
  let manifests: readonly Manifest[];
  let wallet: string;

  beforeAll(() => {
    manifests = render('sandbox');
    wallet = JSON.stringify(services(manifests).get('wallet'));
  });

  it.each(CHANGES)('is reported: %s', (problem, from, to) => {
    expect(wallet).toMatch(from);
    const changed = JSON.parse(wallet.replace(from, to)) as Workload;
    expect(problemsOf([changed])).toContainEqual(expect.stringContaining(problem));
  });

  it('is reported: a Secret in the repository', () => {
    const metadata = { name: 'x', namespace: 'agent-wallet' };
    expect(problemsOf([{ apiVersion: 'v1', kind: 'Secret', metadata }])).toEqual(['Secret x lies in the repository']);
  });

  it.each([
    ['a field that is misspelt', /"imagePullPolicy"/],
    ['a field that is missing', /"securityContext"/],
  ])('has no known shape with %s', (_, from) => {
    const shape = new Map(BUILT_IN).get('apps/v1 Deployment')!;
    expect(shape.safeParse(JSON.parse(wallet)).success).toBe(true);
    expect(shape.safeParse(JSON.parse(wallet.replace(from, '"misspelt"'))).success).toBe(false);
  });

  it('is reported: a call without one of its two policies', () => {
    const call = 'gateway calls wallet';
    expect(reachable(manifests, 50_051)).toContain(call);
    for (const missing of ['gateway-calls-wallet', 'wallet-answers-gateway']) {
      const others = manifests.filter(({ metadata }) => metadata.name !== missing);
      expect(reachable(others, 50_051)).not.toContain(call);
    }
  });
});
