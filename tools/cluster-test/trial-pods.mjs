// Pods of the test's own, as restricted as all others.
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_IMAGE } from './services.mjs';

const POLL_EVERY_MS = 500;
const START_WITHIN_MS = 120_000;

const CLOSED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const NOBODY = {
  ...{ runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001 },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** What a pod of the test looks like; `/data` can be written. */
export function trialPod({ name, labels, args, image = SANDBOX_IMAGE, cpu = '100m' }) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { ...labels, 'app.kubernetes.io/part-of': 'cluster-test' } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: NOBODY,
      containers: [
        {
          ...{ name: 'trial', image, imagePullPolicy: 'IfNotPresent', args },
          resources: { requests: { cpu, memory: '64Mi' }, limits: { memory: '512Mi' } },
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
          securityContext: CLOSED,
        },
      ],
      volumes: [{ name: 'data', emptyDir: { sizeLimit: '64Mi' } }],
    },
  };
}

/** Arguments for Node that do nothing until the pod is deleted. */
export const WAITING = ['-e', 'setInterval(() => {}, 1e6)'];

/** What agents and the people who try things out may reach: the public API and the sandbox's levers. */
export function trialPolicies() {
  const trial = { matchLabels: { 'app.kubernetes.io/component': 'trial' } };
  const named = (name) => ({ podSelector: { matchLabels: { 'app.kubernetes.io/name': name } } });
  const policy = (name, spec) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels: { 'app.kubernetes.io/part-of': 'cluster-test' } },
    spec,
  });
  return [
    policy('trial-calls', {
      podSelector: trial,
      policyTypes: ['Egress'],
      egress: [
        { to: [named('gateway')], ports: [{ protocol: 'TCP', port: 8080 }] },
        { to: [named('sandbox')], ports: [{ protocol: 'TCP', port: 8905 }] },
      ],
    }),
    policy('sandbox-answers-trial', {
      podSelector: named('sandbox').podSelector,
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: trial }], ports: [{ protocol: 'TCP', port: 8905 }] }],
    }),
  ];
}

/** Applies objects; @throws Error also when the cluster warns. */
export async function apply(cluster, objects) {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const { stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  if (/warning/i.test(stderr)) throw new Error(stderr.trim());
}

/** Creates a pod again and waits until it runs, or has ended. */
export async function startPod(cluster, pod) {
  const { name } = pod.metadata;
  await cluster.kubectl(['delete', 'pod', name, '--ignore-not-found', '--wait']);
  await apply(cluster, [pod]);
  return phaseOf(cluster, name, ['Running', 'Succeeded', 'Failed'], START_WITHIN_MS);
}

/** Waits until a pod is in one of some phases. @returns the pod */
export async function phaseOf(cluster, name, phases, withinMs) {
  const untilMs = performance.now() + withinMs;
  for (;;) {
    const pod = await cluster.get(cluster.at(`pods/${name}`));
    if (pod && phases.includes(pod.status.phase)) return pod;
    if (performance.now() > untilMs) throw new Error(`the pod ${name} is ${pod?.status.phase ?? 'gone'}`);
    await sleep(POLL_EVERY_MS);
  }
}
