// What the environment says of the broker.
import path from 'node:path';
import { root } from '../running/process.mjs';

/** The port beside the clients' on which the broker, which is its own controller, talks to itself. */
const CONTROLLER_PORT_AFTER = 1;

/** Reads the settings of the broker. Throws an error that names what is wrong. */
export function brokerSettings(env = process.env) {
  const port = portOf(env, 'KAFKA_PORT', 9092);
  const dataDir = path.resolve(root, env.KAFKA_DATA_DIR || '.data/kafka/broker');
  const securePort = env.KAFKA_SECURE_PORT ? portOf(env, 'KAFKA_SECURE_PORT') : undefined;
  const heap = env.KAFKA_HEAP || '256m';
  if (!/^\d+[mg]$/.test(heap)) throw new Error('KAFKA_HEAP must be megabytes or gigabytes: 256m, 1g.');
  return {
    port,
    controllerPort: portOf(env, 'KAFKA_CONTROLLER_PORT', port + CONTROLLER_PORT_AFTER),
    dataDir,
    libDir: path.resolve(root, env.KAFKA_LIB_DIR || '.data/kafka/lib'),
    heap,
    secure: securePort && {
      port: securePort,
      keystorePath: required(env, 'KAFKA_TLS_KEYSTORE_PATH'),
      username: required(env, 'KAFKA_SASL_USERNAME'),
      password: required(env, 'KAFKA_SASL_PASSWORD'),
    },
    propertiesPath: path.join(dataDir, 'server.properties'),
    logPath: path.join(dataDir, 'server.log'),
    pidPath: path.join(dataDir, 'pid'),
  };
}

function portOf(env, name, byDefault) {
  const port = env[name] ? Number(env[name]) : byDefault;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${name} must be a port: 1 to 65535.`);
  return port;
}

function required(env, name) {
  if (!env[name]) throw new Error(`KAFKA_SECURE_PORT is set, so ${name} is required.`);
  return env[name];
}
