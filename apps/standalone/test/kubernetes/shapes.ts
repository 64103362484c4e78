import { z } from 'zod';

// Strict shapes of the kinds that our manifests use, with the fields that they use: what is not here is a typing error until
// it is written down. A cluster's own API server knows the rest of the rules.

const { strictObject: fields } = z;

const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const labels = z.record(z.string(), z.string());
const quantity = z.union([z.string().regex(/^\d+(\.\d+)?(m|Ki|Mi|Gi)?$/), z.number()]);
const port = z.int().min(1).max(65_535);
const cpuAndMemory = fields({ cpu: quantity.optional(), memory: quantity.optional() });
const resources = fields({ requests: cpuAndMemory, limits: cpuAndMemory });

const metadata = fields({ name, namespace: name.optional(), labels: labels.optional() });

const selector = fields({
  matchLabels: labels.optional(),
  matchExpressions: z
    .array(fields({ key: z.string(), operator: z.enum(['In', 'NotIn', 'Exists']), values: z.array(z.string()) }))
    .optional(),
});

const ofKey = fields({ name, key: z.string(), optional: z.boolean().optional() });

const env = fields({
  name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  value: z.string().optional(),
  valueFrom: z
    .union([
      fields({ secretKeyRef: ofKey }),
      fields({ configMapKeyRef: ofKey }),
      fields({ fieldRef: fields({ fieldPath: z.literal('metadata.namespace') }) }),
    ])
    .optional(),
}).refine(({ value, valueFrom }) => (value === undefined) !== (valueFrom === undefined), 'has one value');

const timing = {
  periodSeconds: z.int().optional(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
};
const probe = z.union([
  fields({ grpc: fields({ port }), ...timing }),
  fields({ tcpSocket: fields({ port: z.union([name, port]) }), ...timing }),
  fields({ httpGet: fields({ path: z.string(), port: z.union([name, port]) }), ...timing }),
]);

const container = fields({
  name,
  image: z.string(),
  imagePullPolicy: z.enum(['IfNotPresent', 'Always']),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z.array(env).optional(),
  envFrom: z.array(fields({ configMapRef: fields({ name }) })).optional(),
  ports: z.array(fields({ name: name.max(15), containerPort: port })).optional(),
  volumeMounts: z
    .array(fields({ name, mountPath: z.string().startsWith('/'), readOnly: z.boolean().optional() }))
    .optional(),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  lifecycle: fields({ preStop: fields({ sleep: fields({ seconds: z.int() }) }) }).optional(),
  resources,
  securityContext: fields({
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: fields({ drop: z.array(z.string()) }),
  }),
});

const items = z.array(fields({ key: z.string(), path: z.string() })).optional();
const mode = z.int().optional();
const source = z.union([
  fields({ secret: fields({ name, items }) }),
  fields({ configMap: fields({ name, items }) }),
  fields({ serviceAccountToken: fields({ path: z.string() }) }),
]);
const volume = z.union([
  fields({ name, secret: fields({ secretName: name, defaultMode: mode, items }) }),
  fields({ name, configMap: fields({ name, defaultMode: mode, items }) }),
  fields({ name, emptyDir: fields({ medium: z.literal('Memory').optional(), sizeLimit: quantity }) }),
  fields({ name, projected: fields({ defaultMode: mode, sources: z.array(source) }) }),
]);

const pod = fields({
  metadata: fields({ labels }),
  spec: fields({
    serviceAccountName: name.optional(),
    automountServiceAccountToken: z.boolean(),
    enableServiceLinks: z.boolean(),
    runtimeClassName: name.optional(),
    restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).optional(),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: fields({
      runAsNonRoot: z.boolean(),
      runAsUser: z.int(),
      runAsGroup: z.int(),
      fsGroup: z.int(),
      seccompProfile: fields({ type: z.string() }),
    }),
    topologySpreadConstraints: z
      .array(
        fields({
          maxSkew: z.int(),
          topologyKey: z.string(),
          whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
          labelSelector: selector,
          matchLabelKeys: z.array(z.string()),
        }),
      )
      .optional(),
    initContainers: z.array(container).optional(),
    containers: z.array(container).min(1),
    volumes: z.array(volume).optional(),
  }),
});

const peer = fields({
  podSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  ipBlock: fields({ cidr: z.cidrv4(), except: z.array(z.cidrv4()).optional() }).optional(),
});
const policyPorts = z.array(fields({ protocol: z.enum(['TCP', 'UDP']), port })).min(1);

/** Of a manifest: its version and kind. */
type Kind = `${string} ${string}`;

function kind<Shape extends z.ZodRawShape>(apiVersion: string, shape: Shape, name: string) {
  return [
    `${apiVersion} ${name}`,
    fields({ apiVersion: z.literal(apiVersion), kind: z.literal(name), metadata, ...shape }),
  ] as const;
}

const rollout = fields({
  type: z.enum(['RollingUpdate', 'Recreate']),
  rollingUpdate: fields({ maxUnavailable: z.int(), maxSurge: z.int() }).optional(),
});

const job = fields({
  ttlSecondsAfterFinished: z.int(),
  activeDeadlineSeconds: z.int().optional(),
  backoffLimit: z.int(),
  template: pod,
});

/** The kinds that Kubernetes itself has. */
export const BUILT_IN: ReadonlyArray<readonly [Kind, z.ZodType]> = [
  kind('v1', {}, 'Namespace'),
  kind('v1', {}, 'ServiceAccount'),
  kind('v1', { data: labels }, 'ConfigMap'),
  kind(
    'v1',
    {
      spec: fields({
        clusterIP: z.literal('None').optional(),
        selector: labels,
        ports: z.array(
          fields({ name: name.max(15), port, targetPort: z.union([name, port]), appProtocol: z.string().optional() }),
        ),
      }),
    },
    'Service',
  ),
  kind(
    'apps/v1',
    {
      spec: fields({
        replicas: z.int().optional(),
        revisionHistoryLimit: z.int().optional(),
        strategy: rollout.optional(),
        selector,
        template: pod,
      }),
    },
    'Deployment',
  ),
  kind('batch/v1', { spec: job }, 'Job'),
  kind(
    'batch/v1',
    // No CronJob runs by itself: operators create jobs from it.
    {
      spec: fields({
        suspend: z.literal(true),
        schedule: z.string(),
        jobTemplate: fields({ metadata: fields({ labels }), spec: job }),
      }),
    },
    'CronJob',
  ),
  kind('policy/v1', { spec: fields({ maxUnavailable: z.int(), selector }) }, 'PodDisruptionBudget'),
  kind(
    'networking.k8s.io/v1',
    {
      spec: fields({
        podSelector: selector,
        policyTypes: z.array(z.enum(['Ingress', 'Egress'])).min(1),
        ingress: z.array(fields({ from: z.array(peer).min(1).optional(), ports: policyPorts })).optional(),
        egress: z.array(fields({ to: z.array(peer).min(1).optional(), ports: policyPorts })).optional(),
      }),
    },
    'NetworkPolicy',
  ),
  kind(
    'autoscaling/v2',
    {
      spec: fields({
        scaleTargetRef: fields({ apiVersion: z.string(), kind: z.literal('Deployment'), name }),
        minReplicas: z.int().min(1),
        maxReplicas: z.int().min(1),
        metrics: z.array(
          fields({
            type: z.literal('Resource'),
            resource: fields({
              name: z.enum(['cpu', 'memory']),
              target: fields({ type: z.literal('Utilization'), averageUtilization: z.int() }),
            }),
          }),
        ),
        behavior: fields({
          scaleDown: fields({
            stabilizationWindowSeconds: z.int(),
            policies: z.array(fields({ type: z.enum(['Pods', 'Percent']), value: z.int(), periodSeconds: z.int() })),
          }),
        }),
      }),
    },
    'HorizontalPodAutoscaler',
  ),
  kind(
    'rbac.authorization.k8s.io/v1',
    {
      rules: z.array(
        fields({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
      ),
    },
    'Role',
  ),
  kind(
    'rbac.authorization.k8s.io/v1',
    {
      subjects: z.array(fields({ kind: z.literal('ServiceAccount'), name, namespace: name.optional() })),
      roleRef: fields({ apiGroup: z.string(), kind: z.literal('Role'), name }),
    },
    'RoleBinding',
  ),
];
