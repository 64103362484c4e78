import { containersOf, type Workload, workloads } from './pods.js';
import type { Manifest } from './render.js';

/** Made by operators on the way to what they run: Strimzi's authority, CloudNativePG's authority and superuser. */
const MADE_BY_OPERATORS = ['events-cluster-ca-cert', 'postgres-cluster-ca', 'postgres-cluster-superuser'];

interface SecretSource extends Manifest {
  readonly spec: { readonly secretName?: string; readonly target?: { readonly name: string } };
}

/** The Secrets that pods cannot start without. */
export function neededSecrets(manifests: readonly Manifest[]): ReadonlySet<string> {
  return new Set(workloads(manifests).flatMap((workload) => [...mounted(workload), ...read(workload)]));
}

function mounted({ spec }: Workload): string[] {
  return (spec.template.spec.volumes ?? []).flatMap(({ secret, projected }) => [
    ...(secret ? [secret.secretName] : []),
    ...(projected?.sources.flatMap(({ secret }) => (secret ? [secret.name] : [])) ?? []),
  ]);
}

/** The ConfigMaps that pods cannot mount because no manifest has them. */
export function neededConfigMaps(manifests: readonly Manifest[]): ReadonlySet<string> {
  const there = new Set(manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name));
  const mounted = workloads(manifests).flatMap(({ spec }) =>
    (spec.template.spec.volumes ?? []).flatMap(({ configMap }) => (configMap ? [configMap.name] : [])),
  );
  return new Set(mounted.filter((name) => !there.has(name)));
}

function read(workload: Workload): string[] {
  const refs = containersOf(workload).flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom?.secretKeyRef));
  return refs.flatMap((ref) => (ref && !ref.optional ? [ref.name] : []));
}

/** The Secrets that an operator makes of some manifest. */
export function madeSecrets(manifests: readonly Manifest[]): ReadonlySet<string> {
  const made = manifests.flatMap((manifest) => {
    const { kind, metadata, spec } = manifest as SecretSource;
    if (kind === 'Certificate') return [spec.secretName!];
    if (kind === 'ExternalSecret') return [spec.target!.name];
    return kind === 'KafkaUser' ? [metadata.name] : [];
  });
  return new Set([...made, ...MADE_BY_OPERATORS]);
}
