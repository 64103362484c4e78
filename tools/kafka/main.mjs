#!/usr/bin/env node
// A Kafka broker for this machine: `npm run kafka -- --help`.
import { parseArgs } from 'node:util';
import { KAFKA_VERSION, fetchKafka, missingTool } from './artifacts.mjs';
import { isListening, startBroker, stopBroker } from './broker.mjs';
import { runningBroker } from './own-process.mjs';
import { brokerSettings } from './settings.mjs';
import { makeTopics } from './topics.mjs';

const HELP = `Usage: npm run kafka -- start|stop|status|topics|run|fetch|check

Runs one Apache Kafka ${KAFKA_VERSION} broker on this machine, for development and tests. Needs Java 17; its jars are fetched
from Maven Central with mvn, once.

  start    starts it in the background and waits until it accepts connections
  stop     ends it and waits; --force kills it
  status   says whether it runs; exits with 0 when it does, 3 when it does not, 4 when it does not answer
  topics   creates the topics of deploy/kafka/topics.json that are missing, and says what is different of the others;
           exits with 5 when something is. Changes nothing that exists. --replication N for a cluster of fewer brokers
           (1 for the broker of start), --file FILE for another plan
  run      runs it in the foreground, until Ctrl-C or the end of its input
  fetch    fetches the jars only
  check    says whether this machine can run it; exits with 6 when it cannot

Settings (environment):
  KAFKA_PORT             port for clients on 127.0.0.1 (default 9092)
  KAFKA_CONTROLLER_PORT  port on which it talks to itself (default: the next)
  KAFKA_DATA_DIR         where its data, its log and its pid are (default .data/kafka/broker)
  KAFKA_LIB_DIR          where its jars are (default .data/kafka/lib)
  KAFKA_HEAP             the JVM's heap (default 256m)

The topics command reaches the brokers as the services do: KAFKA_BROKERS (default: the broker of start), KAFKA_TLS,
KAFKA_TLS_CA_PATH, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD.

A second listener with TLS and SCRAM-SHA-512, whose one user is made with the data folder:
  KAFKA_SECURE_PORT, KAFKA_TLS_KEYSTORE_PATH (PEM: key, certificate of localhost), KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD`;

const NOT_RUNNING = 3;
const NOT_ANSWERING = 4;
const NOT_AS_PLANNED = 5;
const CANNOT_RUN = 6;

const COMMANDS = {
  async start(settings) {
    const running = await runningBroker(settings);
    if (running) {
      console.log(`Kafka runs already: process ${running}, data in ${settings.dataDir}.`);
      return 0;
    }
    const child = await startBroker(settings, { isDetached: true });
    child.unref();
    console.log(`Kafka ${KAFKA_VERSION} listens: KAFKA_BROKERS=127.0.0.1:${settings.port} (process ${child.pid})`);
    return 0;
  },
  async stop(settings, { force: isForced }) {
    const didRun = await stopBroker(settings, { isForced });
    console.log(didRun ? 'Kafka has ended.' : `No Kafka runs in ${settings.dataDir}.`);
    return 0;
  },
  async status(settings) {
    const pid = await runningBroker(settings);
    if (!pid) {
      console.log(`Kafka does not run in ${settings.dataDir}.`);
      return NOT_RUNNING;
    }
    const answers = await isListening(settings.port);
    console.log(`Kafka runs: process ${pid}, ${answers ? '' : 'but nothing listens on '}127.0.0.1:${settings.port}`);
    return answers ? 0 : NOT_ANSWERING;
  },
  async topics(settings, options) {
    return (await makeTopics(settings, options)) ? 0 : NOT_AS_PLANNED;
  },
  run: runInForeground,
  async fetch({ libDir }) {
    await fetchKafka(libDir);
    console.log(`Kafka ${KAFKA_VERSION} is in ${libDir}.`);
    return 0;
  },
  async check({ libDir }) {
    const missing = await missingTool(libDir);
    console.log(missing ?? `This machine can run Kafka ${KAFKA_VERSION}.`);
    return missing ? CANNOT_RUN : 0;
  },
};

/** Prints one line of JSON when the broker is ready; ends with it. */
async function runInForeground(settings) {
  const child = await startBroker(settings, { isDetached: false });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  console.log(JSON.stringify({ pid: child.pid, brokers: `127.0.0.1:${settings.port}` }));
  const stop = () => {
    child.kill('SIGTERM');
    child.kill('SIGCONT'); // a test may have stopped its clock
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.stdin.once('end', stop).once('error', stop).resume();
  await ended;
  return 0;
}

async function main() {
  const options = {
    force: { type: 'boolean', default: false },
    replication: { type: 'string' },
    file: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [name, ...more] = positionals;
  if (values.help || more.length > 0 || !Object.hasOwn(COMMANDS, name ?? '')) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  return COMMANDS[name](brokerSettings(), values);
}

try {
  process.exit(await main());
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
