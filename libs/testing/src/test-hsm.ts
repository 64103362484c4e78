import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import { softHsmModule } from './custody-tools.js';
import { scratchDirectory } from './scratch-directory.js';

/** A security module in software (SoftHSM) with a configuration and tokens of its own. */
export interface TestHsm {
  readonly modulePath: string;
  /** Environment variables that a process needs to see these tokens. This process has them from the start. */
  readonly environment: { readonly SOFTHSM2_CONF: string };
  /** The token that exists from the start; its user's PIN follows, also as a file. */
  readonly tokenLabel: string;
  readonly pin: string;
  readonly pinPath: string;
  /** Adds another token with the same PIN. */
  addToken(label: string): Promise<void>;
  /** Removes everything. No process may have the module open. */
  stop(): Promise<void>;
}

/** Makes one. A process can have one at a time: SoftHSM reads its configuration from the environment. */
export async function openTestHsm(): Promise<TestHsm> {
  const modulePath = softHsmModule();
  const folder = mkdtempSync(path.join(scratchDirectory(), 'agent-wallet-hsm-'));
  const environment = { SOFTHSM2_CONF: path.join(folder, 'softhsm2.conf') };
  const tokens = path.join(folder, 'tokens');
  mkdirSync(tokens);
  const settings = [`directories.tokendir = ${tokens}`, 'objectstore.backend = file', 'log.level = ERROR'];
  writeFileSync(environment.SOFTHSM2_CONF, `${settings.join('\n')}\n`);
  const pin = String(randomInt(10_000_000, 99_999_999));
  const pinPath = path.join(folder, 'pin');
  writeFileSync(pinPath, `${pin}\n`, { mode: 0o600 });
  const addToken = async (label: string) => {
    const args = ['--init-token', '--free', '--label', label, '--pin', pin, '--so-pin', pin];
    await promisify(execFile)('softhsm2-util', args, { env: { ...process.env, ...environment } });
  };
  await addToken('agent-wallet');
  await setForNativeCode('SOFTHSM2_CONF', environment.SOFTHSM2_CONF);
  return {
    modulePath,
    environment,
    tokenLabel: 'agent-wallet',
    pin,
    pinPath,
    addToken,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Sets a variable for native code. Jest gives tests a copy of the environment, which C code does not read; a thread
 * that shares ours has the real one.
 */
async function setForNativeCode(name: string, value: string): Promise<void> {
  const program = 'const { name, value } = require("node:worker_threads").workerData; process.env[name] = value;';
  const worker = new Worker(program, { eval: true, env: SHARE_ENV, workerData: { name, value } });
  await once(worker, 'exit');
}
