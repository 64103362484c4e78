import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { freePorts } from '@agent-wallet/embedded';
import { scratchDirectory } from './scratch-directory.js';

const TOOL = path.join(import.meta.dirname, '..', '..', '..', 'tools', 'kafka', 'main.mjs');
/** Exit code of the tool when Java or Maven is missing. */
const CANNOT_RUN = 6;
const TRIES = 3;

/** A listener with TLS and SCRAM-SHA-512 beside the open one. */
export interface SecureListener {
  /** PEM file: the private key (PKCS #8), then its certificate, which names localhost. */
  readonly keystorePath: string;
  readonly username: string;
  readonly password: string;
}

/** A real broker of one test file. */
export interface TestKafka {
  /** `host:port`, for clients without TLS. */
  readonly brokers: string;
  /** `host:port` of the listener with TLS; empty when none was asked for. */
  readonly secureBrokers: string;
  /** Kills it (SIGKILL), as a power cut would; `restart` brings it back. */
  kill(): Promise<void>;
  /** Starts it again on its own data and ports, after an orderly end if it still runs. */
  restart(): Promise<void>;
  /** Stops its clock (SIGSTOP): connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Reports whether this machine can run a broker. If it cannot, it prints that tests are skipped; with REQUIRE_KAFKA=1
 * it throws.
 * @example
 * const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });
 */
export function canRunKafka(): boolean {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, 'check'], { encoding: 'utf8' });
  if (status === 0) return true;
  const why = `${stdout}${stderr}`.trim();
  if (status !== CANNOT_RUN || process.env['REQUIRE_KAFKA'] === '1') throw new Error(why);
  process.stderr.write(`\nSKIPPED: tests with Kafka. ${why}\n\n`);
  return false;
}

/** Starts a broker on free ports, with its data in a folder of its own. It ends with this process at the latest. */
export async function openTestKafka(options: { readonly secure?: SecureListener } = {}): Promise<TestKafka> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await TestBroker.open(options.secure);
    } catch (error) {
      // Another process may have taken a port in between.
      if (tries === TRIES) throw error;
    }
  }
}

type Runner = ChildProcessByStdio<Writable, Readable, Readable>;

class TestBroker implements TestKafka {
  readonly brokers: string;
  readonly secureBrokers: string;
  private readonly environment: Record<string, string>;
  private running: { readonly runner: Runner; readonly pid: number } | undefined;

  private constructor(
    private readonly dataDir: string,
    [port, controllerPort, securePort]: readonly number[],
    secure: SecureListener | undefined,
  ) {
    this.brokers = `127.0.0.1:${port}`;
    this.secureBrokers = secure ? `localhost:${securePort}` : '';
    this.environment = {
      KAFKA_PORT: String(port),
      KAFKA_CONTROLLER_PORT: String(controllerPort),
      KAFKA_DATA_DIR: dataDir,
      KAFKA_SECURE_PORT: secure ? String(securePort) : '',
      KAFKA_TLS_KEYSTORE_PATH: secure?.keystorePath ?? '',
      KAFKA_SASL_USERNAME: secure?.username ?? '',
      KAFKA_SASL_PASSWORD: secure?.password ?? '',
    };
  }

  static async open(secure: SecureListener | undefined): Promise<TestBroker> {
    const dataDir = mkdtempSync(path.join(scratchDirectory(), 'agent-wallet-kafka-'));
    const broker = new TestBroker(dataDir, await freePorts(3), secure);
    try {
      await broker.restart();
      return broker;
    } catch (error) {
      rmSync(dataDir, { recursive: true, force: true });
      throw error;
    }
  }

  async restart(): Promise<void> {
    await this.endRunner();
    const runner = spawn(process.execPath, [TOOL, 'run'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...this.environment },
    });
    let complaints = '';
    runner.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const ready = once(createInterface(runner.stdout), 'line').then(([line]) => String(line));
    const ended = once(runner, 'close').then(() => '');
    const line = await Promise.race([ready, ended]);
    if (!line) throw new Error(`The broker did not start:\n${complaints}`);
    this.running = { runner, pid: (JSON.parse(line) as { pid: number }).pid };
  }

  async kill(): Promise<void> {
    if (!this.running) return;
    const { runner, pid } = this.running;
    this.running = undefined;
    const ended = once(runner, 'close');
    process.kill(pid, 'SIGKILL');
    await ended;
  }

  pause(): void {
    if (this.running) process.kill(this.running.pid, 'SIGSTOP');
  }

  resume(): void {
    if (this.running) process.kill(this.running.pid, 'SIGCONT');
  }

  /** Stops the broker by force: its data is not read again. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** Ends the runner's input, upon which the runner shuts its broker down cleanly. */
  private async endRunner(): Promise<void> {
    if (!this.running) return;
    const { runner } = this.running;
    this.running = undefined;
    const ended = once(runner, 'close');
    runner.stdin.end();
    await ended;
  }
}
