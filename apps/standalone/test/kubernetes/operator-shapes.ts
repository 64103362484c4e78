import { z } from 'zod';

// Strict shapes of what operators of a cluster bring, as far as our manifests use it: see `shapes.ts`.

const { strictObject: fields } = z;
const labels = z.record(z.string(), z.string());
const metadata = fields({ name: z.string(), namespace: z.string(), labels: labels.optional() });
const cpuAndMemory = fields({ cpu: z.string().optional(), memory: z.string().optional() });

function kind(apiVersion: string, name: string, spec: z.ZodType) {
  const shape = { apiVersion: z.literal(apiVersion), kind: z.literal(name), metadata, spec };
  return [`${apiVersion} ${name}`, fields(shape)] as const;
}

const hours = z.string().regex(/^\d+h$/);
const issuerRef = fields({ name: z.string(), kind: z.enum(['Issuer', 'ClusterIssuer']) });

const certManager = [
  kind(
    'cert-manager.io/v1',
    'Issuer',
    z.union([fields({ selfSigned: fields({}) }), fields({ ca: fields({ secretName: z.string() }) })]),
  ),
  kind(
    'cert-manager.io/v1',
    'Certificate',
    fields({
      isCA: z.literal(true).optional(),
      secretName: z.string(),
      commonName: z.string().max(64),
      dnsNames: z.array(z.string()).length(1).optional(),
      duration: hours,
      renewBefore: hours,
      usages: z.array(z.enum(['digital signature', 'server auth', 'client auth'])).optional(),
      privateKey: fields({
        algorithm: z.literal('ECDSA'),
        size: z.literal(256),
        encoding: z.literal('PKCS8').optional(),
        rotationPolicy: z.enum(['Always', 'Never']),
      }),
      issuerRef,
    }),
  ),
];

const KAFKA = 'kafka.strimzi.io/v1';
const operations = z.array(z.enum(['Describe', 'Read', 'Write']));

const strimzi = [
  kind(
    KAFKA,
    'KafkaNodePool',
    fields({
      replicas: z.int(),
      roles: z.array(z.enum(['controller', 'broker'])),
      storage: fields({ type: z.literal('persistent-claim'), size: z.string(), deleteClaim: z.boolean() }),
    }),
  ),
  kind(
    KAFKA,
    'Kafka',
    fields({
      kafka: fields({
        listeners: z.array(
          fields({
            name: z.string(),
            port: z.int(),
            type: z.literal('internal'),
            tls: z.literal(true),
            authentication: fields({ type: z.literal('scram-sha-512') }),
          }),
        ),
        authorization: fields({ type: z.literal('simple') }),
        config: z.record(z.string(), z.union([z.boolean(), z.number(), z.string()])),
      }),
      entityOperator: fields({ topicOperator: fields({}), userOperator: fields({}) }),
    }),
  ),
  kind(
    KAFKA,
    'KafkaTopic',
    fields({ partitions: z.int(), replicas: z.int(), config: z.record(z.string(), z.string()) }),
  ),
  kind(
    KAFKA,
    'KafkaUser',
    fields({
      authentication: fields({ type: z.literal('scram-sha-512') }),
      authorization: fields({
        type: z.literal('simple'),
        acls: z.array(fields({ resource: fields({ type: z.enum(['topic', 'group']), name: z.string() }), operations })),
      }),
    }),
  ),
];

const CLOUD_NATIVE_PG = 'postgresql.cnpg.io/v1';
const BARMAN = z.literal('barman-cloud.cloudnative-pg.io');
const ofSecret = fields({ name: z.string(), key: z.string() });
const compression = fields({ compression: z.literal('gzip') });

const cloudNativePg = kind(
  CLOUD_NATIVE_PG,
  'Cluster',
  fields({
    instances: z.int().min(3),
    postgresql: fields({
      synchronous: fields({ method: z.literal('any'), number: z.int().min(1), dataDurability: z.literal('required') }),
      parameters: z.record(z.string(), z.string()),
    }),
    enableSuperuserAccess: z.boolean(),
    plugins: z.array(
      fields({
        name: BARMAN,
        isWALArchiver: z.literal(true),
        parameters: fields({ barmanObjectName: z.string(), serverName: z.string() }),
      }),
    ),
    bootstrap: fields({ initdb: fields({ database: z.string(), owner: z.string() }) }),
    certificates: fields({ serverAltDNSNames: z.array(z.string()) }),
    inheritedMetadata: fields({ labels }),
    storage: fields({ size: z.string() }),
    resources: fields({ requests: cpuAndMemory, limits: cpuAndMemory }),
    managed: fields({
      services: fields({
        disabledDefaultServices: z.array(z.enum(['ro', 'r'])),
        additional: z.array(
          fields({
            selectorType: z.literal('rw'),
            serviceTemplate: fields({ metadata: fields({ name: z.string() }) }),
          }),
        ),
      }),
      roles: z.array(
        fields({
          name: z.string(),
          ensure: z.literal('present'),
          login: z.literal(true),
          passwordSecret: fields({ name: z.string() }),
        }),
      ),
    }),
  }),
);

const backups = [
  kind(
    CLOUD_NATIVE_PG,
    'ScheduledBackup',
    fields({
      // Of seconds, minutes, hours, days, months and days of the week.
      schedule: z.string().regex(/^(\S+ ){5}\S+$/),
      immediate: z.boolean(),
      backupOwnerReference: z.enum(['none', 'self', 'cluster']),
      cluster: fields({ name: z.string() }),
      method: z.literal('plugin'),
      pluginConfiguration: fields({ name: BARMAN }),
    }),
  ),
  kind(
    'barmancloud.cnpg.io/v1',
    'ObjectStore',
    fields({
      retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
      // Without serverName, which the plugin wants in the Cluster alone.
      configuration: fields({
        destinationPath: z.string().startsWith('s3://'),
        endpointURL: z.url(),
        s3Credentials: fields({ accessKeyId: ofSecret, secretAccessKey: ofSecret }),
        wal: compression,
        data: compression,
      }),
    }),
  ),
];

const externalSecret = kind(
  'external-secrets.io/v1',
  'ExternalSecret',
  fields({
    refreshInterval: z.string(),
    secretStoreRef: fields({ kind: z.literal('ClusterSecretStore'), name: z.string() }),
    target: fields({
      name: z.string(),
      creationPolicy: z.literal('Owner'),
      template: fields({ type: z.literal('kubernetes.io/basic-auth'), data: labels }).optional(),
    }),
    data: z
      .array(fields({ secretKey: z.string(), remoteRef: fields({ key: z.string(), property: z.string() }) }))
      .optional(),
    dataFrom: z.array(fields({ extract: fields({ key: z.string() }) })).optional(),
  }),
);

const route = kind(
  'gateway.networking.k8s.io/v1',
  'HTTPRoute',
  fields({
    parentRefs: z.array(fields({ name: z.string(), namespace: z.string() })),
    hostnames: z.array(z.string()),
    rules: z.array(
      fields({
        matches: z.array(fields({ path: fields({ type: z.enum(['Exact', 'PathPrefix']), value: z.string() }) })),
        backendRefs: z.array(fields({ name: z.string(), port: z.int() })),
        timeouts: fields({ request: z.string() }),
      }),
    ),
  }),
);

const MONITORING = 'monitoring.coreos.com/v1';
const span = z.string().regex(/^\d+[smhd]$/);

const prometheus = [
  kind(
    MONITORING,
    'PodMonitor',
    fields({
      selector: fields({ matchLabels: labels }),
      podMetricsEndpoints: z.array(
        fields({
          port: z.literal('metrics'),
          relabelings: z.array(fields({ targetLabel: z.string(), replacement: z.string() })),
        }),
      ),
    }),
  ),
  kind(
    MONITORING,
    'PrometheusRule',
    fields({
      groups: z.array(
        fields({
          name: z.string(),
          interval: span.optional(),
          rules: z.array(
            z.union([
              fields({ record: z.string(), expr: z.string(), labels: labels.optional() }),
              fields({ alert: z.string(), expr: z.string(), for: span.optional(), labels, annotations: labels }),
            ]),
          ),
        }),
      ),
    }),
  ),
];

/** The kinds of cert-manager, Strimzi, CloudNativePG and its plugin for backups, External Secrets, the Prometheus operator and the Gateway API. */
export const OF_OPERATORS: ReadonlyArray<readonly [string, z.ZodType]> = [
  ...certManager,
  ...strimzi,
  cloudNativePg,
  ...backups,
  externalSecret,
  ...prometheus,
  route,
];
