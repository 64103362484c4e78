import { serverTlsEnvironment } from '@agent-wallet/platform';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram } from '@agent-wallet/testing';
import type { Deployment } from './support.js';

const MAIN = builtProgram('signer');

/** A signer that runs as a process of its own. */
export interface SignerProcess {
  readonly address: string;
  readonly pid: number;
  /** All that it wrote. */
  readonly output: () => string;
  /** Resolves with what ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  signal(signal: NodeJS.Signals): void;
}

/** The environment in which a process is a replica of a deployment. */
export function environmentFor({ settings, vaultPath }: Deployment): Record<string, string> {
  const { host, port, user, password, database } = settings.database;
  return {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password.reveal())}@${host}:${port}/${database}`,
    GRPC_ADDRESS: '127.0.0.1:0',
    ...serverTlsEnvironment(settings.tls),
    SIGNER_VAULT_PATH: vaultPath,
    PERMIT_PUBLIC_KEYS_PATH: settings.permitPublicKeysPath,
  };
}

/**
 * Starts one by its built `main.js`, through a shell so that limits can be set before it. Undefined as an address means
 * that it ended before it answered.
 */
export async function startProcess(
  environment: Record<string, string>,
  { nodeOptions = [], limits = 'ulimit -c 0' }: { nodeOptions?: readonly string[]; limits?: string } = {},
): Promise<SignerProcess | { readonly address: undefined; readonly output: () => string }> {
  const command = [process.execPath, ...nodeOptions, MAIN].map((word) => `'${word}'`).join(' ');
  const child: ChildProcess = spawn('sh', ['-c', `${limits}; exec ${command}`], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const lines: string[] = [];
  child.stdout!.on('data', (chunk) => lines.push(String(chunk)));
  child.stderr!.on('data', (chunk) => lines.push(String(chunk)));
  const output = () => lines.join('');
  const exited = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  const ready = once(child, 'message').then(([message]) => message as { address: string });
  const first = await Promise.race([ready, exited.then(() => undefined)]);
  if (!first) return { address: undefined, output };
  const { address } = first;
  return { address, pid: child.pid!, output, exited, signal: (signal) => void child.kill(signal) };
}
