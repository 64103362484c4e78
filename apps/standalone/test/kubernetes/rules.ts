import { type Container, containersOf, type Workload, workloads } from './pods.js';
import type { Manifest } from './render.js';

/** Names a thing in a report. */
const called = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/** What is wrong with a set of manifests by our own rules; empty when nothing is. */
export function problemsOf(manifests: readonly Manifest[]): string[] {
  return [
    ...workloads(manifests).flatMap((workload) => [
      ...podProblems(workload),
      ...containersOf(workload).flatMap((container) =>
        containerProblems(container).map((what) => `${called(workload)}: ${container.name} ${what}`),
      ),
      ...(workload.kind === 'Deployment' ? serverProblems(workload) : []),
      ...danglingVolumes(workload),
    ]),
    ...manifests.flatMap(plainSecrets),
    ...manifests
      .filter(({ metadata, kind }) => kind !== 'Namespace' && metadata.namespace !== 'agent-wallet')
      .map((manifest) => `${called(manifest)} is in no namespace`),
  ];
}

function podProblems(workload: Workload): string[] {
  const { securityContext, automountServiceAccountToken, serviceAccountName } = workload.spec.template.spec;
  const problems: string[] = [];
  if (!securityContext.runAsNonRoot || securityContext.runAsUser < 1_000) problems.push('may run as root');
  if (securityContext.seccompProfile.type !== 'RuntimeDefault') problems.push('has no seccomp profile');
  if (automountServiceAccountToken && !serviceAccountName) problems.push('gets a token that it does not need');
  return problems.map((what) => `${called(workload)} ${what}`);
}

function containerProblems({ image, resources, securityContext, env = [] }: Container): string[] {
  const problems: string[] = [];
  if (!/(:[\w.-]+|@sha256:[0-9a-f]{64})$/.test(image)) problems.push('has an image without tag or digest');
  if (/:latest$/.test(image)) problems.push('has the latest image, whichever that is');
  if (!resources.requests['cpu'] || !resources.requests['memory']) problems.push('requests nothing');
  if (!resources.limits['memory']) problems.push('has no limit of memory');
  if (securityContext.allowPrivilegeEscalation) problems.push('may gain rights');
  if (!securityContext.readOnlyRootFilesystem) problems.push('may write to its image');
  if (securityContext.capabilities.drop.join() !== 'ALL') problems.push('keeps capabilities');
  for (const { name, value } of env) {
    if (value !== undefined && /PASSWORD$|SECRET|PEPPER|API_KEY$|TOKEN|SMTP_URL/.test(name)) {
      problems.push(`has ${name} in plain text`);
    }
  }
  return problems;
}

function serverProblems(workload: Workload): string[] {
  const problems: string[] = [];
  const { containers, terminationGracePeriodSeconds = 30 } = workload.spec.template.spec;
  for (const { name, startupProbe, readinessProbe, livenessProbe, lifecycle } of containers) {
    if (!startupProbe || !readinessProbe || !livenessProbe) problems.push(`${name} has not all three probes`);
    const pauseSeconds = lifecycle?.preStop.sleep.seconds ?? 0;
    if (name === 'service' && terminationGracePeriodSeconds < pauseSeconds + 25) {
      problems.push(`${name} is killed before it has drained`);
    }
  }
  return problems.map((what) => `${called(workload)}: ${what}`);
}

function danglingVolumes(workload: Workload): string[] {
  const there = (workload.spec.template.spec.volumes ?? []).map(({ name }) => name);
  const mounted = containersOf(workload).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  return [
    ...mounted
      .filter((name) => !there.includes(name))
      .map((name) => `${called(workload)} mounts ${name}, which is not there`),
    ...there.filter((name) => !mounted.includes(name)).map((name) => `${called(workload)} never mounts ${name}`),
  ];
}

/** A key, a certificate's key, or a URL with a password, wherever it stands; and any Secret at all. */
function plainSecrets(manifest: Manifest): string[] {
  if (manifest.kind === 'Secret') return [`${called(manifest)} lies in the repository`];
  const text = JSON.stringify(manifest);
  return /PRIVATE KEY|[a-z]+:\/\/[^/@\s":]+:[^/@\s"]+@/.test(text) ? [`${called(manifest)} holds a secret`] : [];
}
