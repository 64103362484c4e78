import type { Labels, Manifest } from './render.js';

/** A container, as the rules look at it. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: ReadonlyArray<{ readonly configMapRef: { readonly name: string } }>;
  readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly volumeMounts?: ReadonlyArray<{
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }>;
  readonly startupProbe?: object;
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities: { readonly drop: readonly string[] };
  };
}

/** A variable, and where its value comes from. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: object;
  };
}

/** A volume of a pod. */
export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string };
  readonly configMap?: { readonly name: string };
  readonly emptyDir?: { readonly sizeLimit?: string };
  readonly projected?: { readonly sources: ReadonlyArray<{ readonly secret?: { readonly name: string } }> };
}

/** What runs pods. */
export interface Workload extends Manifest {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly serviceAccountName?: string;
        readonly terminationGracePeriodSeconds?: number;
        readonly securityContext: {
          readonly runAsNonRoot: boolean;
          readonly runAsUser: number;
          readonly seccompProfile: { readonly type: string };
        };
        readonly initContainers?: readonly Container[];
        readonly containers: readonly Container[];
        readonly volumes?: readonly Volume[];
      };
    };
  };
}

interface CronJob extends Manifest {
  readonly spec: { readonly jobTemplate: { readonly spec: Workload['spec'] } };
}

/** Everything that runs pods; of a CronJob, the jobs that it makes. */
export function workloads(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind === 'CronJob') return [{ ...manifest, spec: (manifest as CronJob).spec.jobTemplate.spec }];
    return manifest.kind === 'Deployment' || manifest.kind === 'Job' ? [manifest as Workload] : [];
  });
}

/** The Deployments of our services, by name. */
export function services(manifests: readonly Manifest[]): ReadonlyMap<string, Workload> {
  const ours = workloads(manifests).filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'service',
  );
  return new Map(ours.map((workload) => [workload.metadata.name, workload]));
}

/** The containers of a pod, those that run before the others included. */
export function containersOf({ spec }: Workload): readonly Container[] {
  return [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers];
}
