// Fetches the broker: its jars, from Maven Central, once.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { root, run } from '../running/process.mjs';

/** The version in pom.xml. */
export const KAFKA_VERSION = '4.3.1';
const JAVA_AT_LEAST = 17;
const FETCH_LIMIT_MS = 10 * 60_000;

/** What this machine lacks to run a broker, in words that say what to do; undefined when nothing is missing. */
export async function missingTool(libDir) {
  const version = await outputOf(['java', '-version']);
  const major = Number(/version "(\d+)/.exec(version ?? '')?.[1] ?? 0);
  if (major < JAVA_AT_LEAST) {
    const found = version === undefined ? 'there is no java on the PATH' : `the java on the PATH is ${major || 'odd'}`;
    return `Kafka ${KAFKA_VERSION} needs Java ${JAVA_AT_LEAST} or later, but ${found}: install a JRE (Debian: openjdk-17-jre-headless).`;
  }
  if (existsSync(libDir) || (await outputOf(['mvn', '-version'])) !== undefined) return undefined;
  return `Kafka's jars are not in ${libDir}, and there is no mvn on the PATH to fetch them: install Maven, or set KAFKA_LIB_DIR to a folder that has them.`;
}

async function outputOf(command) {
  const done = await run(command, { capture: true }).catch(() => ({ code: 1 }));
  return done.code === 0 ? done.output : undefined;
}

/** Has the jars in `libDir`, even if another process fetches them at the same time. Throws when that cannot be. */
export async function fetchKafka(libDir) {
  const missing = await missingTool(libDir);
  if (missing) throw new Error(missing);
  if (existsSync(libDir)) return;
  console.error(`Fetching Kafka ${KAFKA_VERSION} (about 45 MB) into ${libDir}: once.`);
  await mkdir(path.dirname(libDir), { recursive: true });
  const draft = await mkdtemp(`${libDir}.draft-`);
  try {
    const pom = path.join(root, 'tools', 'kafka', 'pom.xml');
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${draft}`];
    const { code, output } = await run(['mvn', '-B', '-q', '-f', pom, ...copy], {
      capture: true,
      limitMs: FETCH_LIMIT_MS,
    });
    if (code !== 0) throw new Error(`mvn could not fetch Kafka ${KAFKA_VERSION} (exit code ${code}):\n${output}`);
    // A whole folder at once: it is complete or absent, and the first process wins.
    await rename(draft, libDir).catch((error) => {
      if (!existsSync(libDir)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
