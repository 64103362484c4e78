import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { VaultError } from '../../../ports/vault.js';
import { describeTpmFailure } from './tpm-failure.js';

/** Folders of system programs: a changed PATH must not choose the program that receives a secret. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const KEPT_STDERR_CHARS = 4_000;

/** The TPM, in the words of tpm2-tools, and the time that one command may take. */
interface TpmAddress {
  readonly tcti: string;
  readonly timeoutMs: number;
}

/** One piece of work with the TPM: commands, and files that are gone afterwards. */
export interface TpmSession {
  /**
   * Runs `tpm2_<tool>` and resolves to what it printed. A secret goes in by `input` and comes out as the result: never
   * as an argument, which every process of the machine can read. The caller wipes both.
   * @throws VaultError
   */
  run(tool: string, args: readonly string[], input?: Uint8Array): Promise<Buffer>;
  /**
   * Returns the path of a file of this work. Files hold only what may be on a disk: sealed blobs, public keys,
   * contexts.
   */
  file(name: string): string;
  read(name: string): Promise<Buffer>;
  write(name: string, content: Uint8Array): Promise<void>;
}

/** The end of the last piece of work with each TPM, by its address. */
const LAST = new Map<string, Promise<unknown>>();

/**
 * tpm2-tools against one TPM. A TPM has room for three objects, and keeps what a tool loaded when no resource manager
 * stands before it: so one piece of work of this process runs after the other, and everything is flushed after each
 * command. Several processes on one TPM need the resource manager (`device:/dev/tpmrm0`).
 */
export class TpmTools {
  constructor(readonly address: TpmAddress) {}

  /** Does a piece of work when those before it are done. @throws VaultError */
  session<T>(work: (session: TpmSession) => Promise<T>): Promise<T> {
    const done = this.idle().then(() => this.workInFolder(work));
    LAST.set(this.address.tcti, done);
    return done;
  }

  /** Resolves when nothing of this process is at work with the TPM. */
  async idle(): Promise<void> {
    await LAST.get(this.address.tcti)?.catch(() => undefined);
  }

  private async workInFolder<T>(work: (session: TpmSession) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'agent-wallet-tpm-'));
    const file = (name: string) => path.join(folder, name);
    const run: TpmSession['run'] = async (tool, args, input) => {
      const printed = await this.runTool(tool, args, input).catch(async (error: unknown) => {
        // A TPM that does not answer is not asked a second time.
        if (!(error instanceof TpmSilent)) await this.flush('-t');
        throw error;
      });
      await this.flush('-t');
      return printed;
    };
    try {
      // A process that died in between may have left something.
      await this.flush('-t');
      await this.flush('-l');
      return await work({
        run,
        file,
        read: (name) => readFile(file(name)),
        write: (name, content) => writeFile(file(name), content),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Flushes the TPM. Ignores a refusal, because the next command reports the reason. @throws TpmSilent */
  private async flush(what: '-t' | '-l'): Promise<void> {
    await this.runTool('flushcontext', [what]).catch((error: unknown) => {
      if (error instanceof TpmSilent) throw error;
    });
  }

  private async runTool(tool: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
    const { tcti, timeoutMs } = this.address;
    const child = spawn(`tpm2_${tool}`, args, {
      // Nothing of our environment: it has the database's password.
      env: { PATH, TPM2TOOLS_TCTI: tcti },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const printed: Buffer[] = [];
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = tail(complaint + text)));
    // A tool that ends before it has read everything says why itself.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    try {
      const { code, signal } = await ending(child, tool);
      if (signal === 'SIGKILL')
        throw new TpmSilent(`the TPM at ${tcti} did not answer tpm2_${tool} within ${timeoutMs} ms`);
      if (code !== 0) throw new VaultError(describeTpmFailure({ tcti, tool, complaint }));
      return Buffer.concat(printed);
    } finally {
      for (const chunk of printed) chunk.fill(0);
    }
  }
}

/** A command ran into its time limit. */
class TpmSilent extends VaultError {}

function ending(
  child: ReturnType<typeof spawn>,
  tool: string,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new VaultError(`tpm2_${tool} cannot be run: install tpm2-tools (Debian: apt-get install tpm2-tools)`, {
          cause,
        }),
      ),
    );
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

function tail(text: string): string {
  return text.slice(-KEPT_STDERR_CHARS);
}
