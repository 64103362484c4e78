import type { ReadyMessage } from '@agent-wallet/platform';
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Environment } from '../infrastructure/environment.js';
import type { Service } from '../infrastructure/infrastructure.js';

const START_TIMEOUT_MS = 60_000;

/** A service that runs as a process of its own. */
export interface ServiceProcess {
  readonly service: Service;
  /** Where it listens. */
  readonly address: string;
  readonly pid: number;
  /** Resolves with what ended it: an exit code or a signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Sends a signal; SIGTERM stops it gracefully. */
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts a service's built `main.js` and waits until it listens. It leaves when this process does.
 * @throws Error when it ends or is not ready within a minute
 */
export async function startServiceProcess(service: Service, environment: Environment): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--enable-source-maps', mainOf(service)], {
    env: withoutAbsent(environment),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 0));
  });
  const address = await ready(service, child, exited);
  return { service, address, pid: child.pid!, exited, signal: (signal) => void child.kill(signal) };
}

function mainOf(service: Service): string {
  const packageFile = createRequire(import.meta.url).resolve(`@agent-wallet/${service}/package.json`);
  return path.join(path.dirname(packageFile), 'dist', 'main.js');
}

function ready(service: Service, child: ChildProcess, exited: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${service} was not ready in time`));
    }, START_TIMEOUT_MS);
    child.once('message', (message) => {
      clearTimeout(timer);
      resolve((message as ReadyMessage).address);
    });
    void exited.then((how) => {
      clearTimeout(timer);
      reject(new Error(`${service} ended before it was ready (${String(how)})`));
    });
  });
}

function withoutAbsent(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
