import type { Labels, Manifest } from './render.js';
import { workloads } from './pods.js';

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: ReadonlyArray<{
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }>;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: ReadonlyArray<{ readonly port: number }>;
}

/** A policy, as far as it is looked at. */
export interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** All network policies of a set of manifests. */
export function policiesOf(manifests: readonly Manifest[]): readonly NetworkPolicy[] {
  return manifests.filter(({ kind }) => kind === 'NetworkPolicy') as NetworkPolicy[];
}

/** The policies that govern where pods with these labels may connect to. */
export function egressOf(manifests: readonly Manifest[], labels: Labels): readonly NetworkPolicy[] {
  return policiesOf(manifests).filter(
    ({ spec }) => spec.policyTypes.includes('Egress') && selects(spec.podSelector, labels),
  );
}

function selects(selector: Selector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** Pods of our own namespace are chosen by their labels alone. */
function allows(peers: readonly Peer[] | undefined, labels: Labels): boolean {
  return (
    peers === undefined ||
    peers.some((peer) => peer.podSelector && !peer.namespaceSelector && selects(peer.podSelector, labels))
  );
}

function may(
  policies: readonly NetworkPolicy[],
  { self, other, port, way }: { self: Labels; other: Labels; port: number; way: 'Ingress' | 'Egress' },
): boolean {
  const mine = policies.filter(({ spec }) => spec.policyTypes.includes(way) && selects(spec.podSelector, self));
  if (mine.length === 0) return true;
  return mine.some(({ spec }) =>
    ((way === 'Ingress' ? spec.ingress : spec.egress) ?? []).some(
      ({ from, to, ports }) => ports.some((each) => each.port === port) && allows(way === 'Ingress' ? from : to, other),
    ),
  );
}

/** Everything with pods, and people who operate the services from a pod of their own. */
function podsOf(manifests: readonly Manifest[]): ReadonlyMap<string, Labels> {
  const pods = workloads(manifests).map(({ spec }) => spec.template.metadata.labels);
  const named = pods.map((labels) => [labels['app.kubernetes.io/name']!, labels] as const);
  return new Map([...named, ['ops', { 'app.kubernetes.io/name': 'ops' }]]);
}

/** `a calls b` for every pair of pods of which policies let one reach a port of the other. */
export function reachable(manifests: readonly Manifest[], port: number): string[] {
  const policies = policiesOf(manifests);
  const pods = [...podsOf(manifests)];
  return pods.flatMap(([from, caller]) =>
    pods.flatMap(([to, called]) => {
      const out = may(policies, { self: caller, other: called, port, way: 'Egress' });
      const into = may(policies, { self: called, other: caller, port, way: 'Ingress' });
      return out && into ? [`${from} calls ${to}`] : [];
    }),
  );
}
