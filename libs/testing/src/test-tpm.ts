import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { scratchDirectory } from './scratch-directory.js';

const READY_LIMIT_MS = 20_000;
const POLL_MS = 20;
/** Ends the TPM when our end of the pipe is gone, so that it never outlives a test that was killed. */
const KEEPER = 'swtpm "$@" & tpm=$!; echo $tpm; cat > /dev/null; kill -KILL $tpm; wait $tpm 2> /dev/null; exit 0';

/** Kind of handle for which a TPM has only a few places. */
export type TpmHandles = 'transient' | 'loaded-session' | 'saved-session' | 'persistent';

/** A TPM 2.0 in software (swtpm), with a state of its own: each one is another machine's. */
export interface TestTpm {
  /** Connection for tpm2-tools (TCTI). */
  readonly tcti: string;
  /** Measures something into a register of the SHA-256 bank. */
  extendPcr(register: number): Promise<void>;
  /** Gives up a bank of registers, as many TPMs do. Its power goes off and on. */
  removeBank(bank: string): Promise<void>;
  /** Counts the handles of a kind that are in use. */
  countHandles(kind: TpmHandles): Promise<number>;
  /** Turns the power off and on: registers are zero again, keys are what they were. */
  restart(): Promise<void>;
  /** Turns the power off. */
  powerOff(): Promise<void>;
  /** Stops its clock (SIGSTOP): connections are taken and nothing answers. */
  pause(): void;
  resume(): void;
  /** Turns it off and removes its state. */
  stop(): Promise<void>;
}

/** Starts a TPM that was never used. It ends with this process at the latest. */
export async function openTestTpm(): Promise<TestTpm> {
  const tpm = new SoftwareTpm(mkdtempSync(path.join(scratchDirectory(), 'aw-tpm-')));
  try {
    await tpm.restart();
    return tpm;
  } catch (error) {
    await tpm.stop();
    throw error;
  }
}

class SoftwareTpm implements TestTpm {
  readonly tcti: string;
  private readonly socket: string;
  private running: { readonly keeper: ChildProcessByStdio<Writable, Readable, null>; readonly pid: number } | undefined;

  constructor(private readonly folder: string) {
    this.socket = path.join(folder, 's');
    this.tcti = `swtpm:path=${this.socket}`;
  }

  async extendPcr(register: number): Promise<void> {
    await this.tool('pcrextend', `${register}:sha256=${'5a'.repeat(32)}`);
  }

  async removeBank(bank: string): Promise<void> {
    await this.tool('pcrallocate', `${bank}:none`);
    await this.restart();
  }

  async countHandles(kind: TpmHandles): Promise<number> {
    const { stdout } = await this.tool('getcap', `handles-${kind}`);
    return stdout.split('\n').filter((line) => line.startsWith('- 0x')).length;
  }

  async restart(): Promise<void> {
    await this.powerOff();
    const state = path.join(this.folder, 'state');
    mkdirSync(state, { recursive: true });
    const args = [
      'socket',
      '--tpm2',
      '--tpmstate',
      `dir=${state}`,
      '--flags',
      'not-need-init,startup-clear',
      '--server',
      `type=unixio,path=${this.socket}`,
      '--ctrl',
      `type=unixio,path=${this.socket}.ctrl`,
      '--log',
      `file=${path.join(this.folder, 'log')}`,
    ];
    const keeper = spawn('sh', ['-c', KEEPER, 'sh', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(keeper.stdout), 'line')) as [string];
    this.running = { keeper, pid: Number(line) };
    await this.untilReady();
  }

  async powerOff(): Promise<void> {
    if (!this.running) return;
    const { keeper } = this.running;
    this.running = undefined;
    const ended = once(keeper, 'close');
    keeper.stdin.end();
    await ended;
    for (const file of [this.socket, `${this.socket}.ctrl`]) rmSync(file, { force: true });
  }

  pause(): void {
    if (this.running) process.kill(this.running.pid, 'SIGSTOP');
  }

  resume(): void {
    if (this.running) process.kill(this.running.pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.powerOff();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async untilReady(): Promise<void> {
    const until = performance.now() + READY_LIMIT_MS;
    for (;;) {
      try {
        await this.tool('getcap', 'properties-fixed');
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(POLL_MS);
      }
    }
  }

  private tool(name: string, ...args: string[]): Promise<{ stdout: string }> {
    const env = { ...process.env, TPM2TOOLS_TCTI: this.tcti };
    return promisify(execFile)(`tpm2_${name}`, args, { env, timeout: READY_LIMIT_MS, killSignal: 'SIGKILL' });
  }
}
