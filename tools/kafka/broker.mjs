// One broker in KRaft mode, which is its own controller, for this machine and its tests.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchKafka } from './artifacts.mjs';
import { forgetPid, notePid, runningBroker } from './own-process.mjs';

const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qk';
const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 60_000;
const POLL_MS = 50;
const LOG_LINES = 20;
/** A JVM that starts fast and stays small; with its default it would compile for hours of load and take a quarter of the memory. */
const JVM = ['-Xms64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
const LOG_DATES = '-Dorg.slf4j.simpleLogger.showDateTime=true';

/**
 * Starts a broker and resolves to its process once it accepts connections. Its data stays in its folder.
 * @param {{ isDetached: boolean }} options a detached broker outlives us
 */
export async function startBroker(settings, { isDetached }) {
  await fetchKafka(settings.libDir);
  await mkdir(settings.dataDir, { recursive: true });
  const unlock = await lockFolder(settings.dataDir);
  try {
    const pid = await runningBroker(settings);
    if (pid) throw new Error(`A broker runs in ${settings.dataDir} already: process ${pid}.`);
    await refuseTakenPorts(settings);
    await writeFile(settings.propertiesPath, propertiesOf(settings), { mode: 0o600 });
    await format(settings);
    const child = await launch(settings, isDetached);
    await notePid(settings, child.pid);
    await untilReady(settings, child);
    return child;
  } finally {
    await unlock();
  }
}

/** Asks the broker to end and waits until it has. Resolves to whether one ran. Never ends a process of others. */
export async function stopBroker(settings, { isForced }) {
  const pid = await runningBroker(settings);
  if (!pid) return false;
  process.kill(pid, isForced ? 'SIGKILL' : 'SIGTERM');
  const until = performance.now() + STOP_LIMIT_MS;
  while (await runningBroker(settings)) {
    if (performance.now() > until) {
      throw new Error(
        `Process ${pid} did not end within ${STOP_LIMIT_MS / 1000} s: see ${settings.logPath}, or stop --force.`,
      );
    }
    await sleep(POLL_MS);
  }
  await forgetPid(settings);
  return true;
}

/** Whether a process listens on a port of this machine. */
export function isListening(port) {
  const socket = net.connect({ host: '127.0.0.1', port });
  return new Promise((resolve) => {
    // A connection from a port to itself does not count.
    socket.once('connect', () => resolve(socket.localPort !== port));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

async function refuseTakenPorts({ port, controllerPort, secure }) {
  const ports = { KAFKA_PORT: port, KAFKA_CONTROLLER_PORT: controllerPort, KAFKA_SECURE_PORT: secure?.port };
  for (const [name, number] of Object.entries(ports)) {
    if (number && (await isListening(number))) throw new Error(`Port ${number} is taken: set ${name} to a free one.`);
  }
}

/** One start at a time in a folder. A lock whose owner died does not count. */
async function lockFolder(dataDir) {
  const file = path.join(dataDir, 'starting');
  for (const mayTakeOver of [true, false]) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const owner = Number(await readFile(file, 'utf8').catch(() => ''));
      if (!mayTakeOver || isAlive(owner)) {
        throw new Error(
          `Process ${owner || 'unknown'} is starting a broker in ${dataDir}; if it is not, remove ${file}.`,
        );
      }
      await rm(file, { force: true });
    }
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function propertiesOf({ port, controllerPort, dataDir, secure }) {
  const listeners = [`PLAINTEXT://127.0.0.1:${port}`, `CONTROLLER://127.0.0.1:${controllerPort}`];
  const advertised = [listeners[0]];
  if (secure) {
    listeners.push(`SASL_SSL://127.0.0.1:${secure.port}`);
    advertised.push(`SASL_SSL://localhost:${secure.port}`);
  }
  const lines = [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL',
    `listeners=${listeners.join(',')}`,
    `advertised.listeners=${advertised.join(',')}`,
    `log.dirs=${path.join(dataDir, 'log')}`,
    // Kafka's own topics want three brokers unless the settings say that there is one.
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=4',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=4',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    'auto.create.topics.enable=false',
    'log.cleaner.dedupe.buffer.size=4194304',
  ];
  if (secure) {
    lines.push(
      'sasl.enabled.mechanisms=SCRAM-SHA-512',
      'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;',
      'ssl.keystore.type=PEM',
      `ssl.keystore.location=${secure.keystorePath}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Prepares the folder of the log, once. */
async function format({ dataDir, libDir, propertiesPath, secure }) {
  if (existsSync(path.join(dataDir, 'log', 'meta.properties'))) return;
  const user = secure && ['--add-scram', `SCRAM-SHA-512=[name=${secure.username},password=${secure.password}]`];
  const tool = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', propertiesPath, ...(user || [])];
  const child = spawn('java', [...JVM, '-Xmx128m', '-cp', classPathOf(libDir), ...tool], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`Kafka could not prepare ${dataDir} (exit code ${code}):\n${printed}`);
}

async function launch({ dataDir, libDir, heap, propertiesPath, logPath }, isDetached) {
  const log = await open(logPath, 'a');
  const options = [...JVM, LOG_DATES, `-Xmx${heap}`, `-Dkafka.logs.dir=${dataDir}`, '-cp', classPathOf(libDir)];
  const child = spawn('java', [...options, 'kafka.Kafka', propertiesPath], {
    detached: isDetached,
    stdio: ['ignore', log.fd, log.fd],
  });
  await new Promise((resolve, reject) => child.once('error', reject).once('spawn', resolve));
  await log.close();
  return child;
}

function classPathOf(libDir) {
  return path.join(libDir, '*');
}

async function untilReady({ port, secure, logPath }, child) {
  const until = performance.now() + READY_LIMIT_MS;
  const ports = secure ? [port, secure.port] : [port];
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The broker ended (${child.exitCode ?? child.signalCode}):\n${await lastLines(logPath)}`);
    }
    if ((await Promise.all(ports.map(isListening))).every(Boolean)) return;
    if (performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`The broker was not ready within ${READY_LIMIT_MS / 1000} s:\n${await lastLines(logPath)}`);
    }
    await sleep(POLL_MS);
  }
}

async function lastLines(file) {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
}
