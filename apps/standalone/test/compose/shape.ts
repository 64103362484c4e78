import { z } from 'zod';

/** A compose file as we use it: what the Compose specification allows besides is not here, and a slip is found. */

const text = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const named = <T extends z.ZodType>(of: T) => z.record(z.string(), of);

const healthcheck = z.strictObject({
  test: z.array(text).min(2),
  interval: text,
  timeout: text,
  start_period: text,
  start_interval: text.optional(),
  retries: z.number().optional(),
});

const dependency = z.strictObject({
  condition: z.enum(['service_healthy', 'service_completed_successfully']),
  required: z.boolean().optional(),
});

const service = z.strictObject({
  image: text,
  pull_policy: z.literal('never').optional(),
  profiles: z.array(text).optional(),
  entrypoint: z.array(text).optional(),
  command: z.array(text).optional(),
  user: text,
  read_only: z.literal(true),
  cap_drop: z.array(text),
  cap_add: z.array(text).optional(),
  security_opt: z.array(text),
  network_mode: z.literal('none').optional(),
  networks: z.array(text).optional(),
  ports: z.array(text).optional(),
  environment: named(z.string()).optional(),
  volumes: z.array(text).optional(),
  tmpfs: z.array(text).optional(),
  shm_size: text.optional(),
  ulimits: named(z.number()).optional(),
  configs: z.array(z.strictObject({ source: text, target: text })).optional(),
  restart: text,
  stop_grace_period: text.optional(),
  healthcheck: healthcheck.optional(),
  depends_on: named(dependency).optional(),
  logging: z.strictObject({ driver: text, options: named(scalar) }),
  deploy: z.strictObject({
    resources: z.strictObject({ limits: z.strictObject({ memory: text, pids: z.number() }) }),
  }),
});

/** The whole file, with anchors merged and variables filled in. */
export const COMPOSE_FILE = z.strictObject({
  name: text,
  services: named(service),
  networks: named(z.strictObject({ internal: z.boolean().optional() })),
  volumes: named(z.strictObject({})),
  configs: named(z.strictObject({ file: text })),
});

/** The whole file. */
export type ComposeFile = z.infer<typeof COMPOSE_FILE>;

/** A container that it describes. */
export type ComposeService = z.infer<typeof service>;
