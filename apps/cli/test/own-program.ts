import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { runCli } from '../src/run-cli.js';
import { ScriptedApi, tokenOf } from './scripted-api.js';

/** Ways to run the program otherwise. */
interface Otherwise {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The program within this process, with a folder of its own, at a service that a test scripts. */
export class OwnProgram {
  nowMs = () => Date.now();

  private constructor(
    readonly api: ScriptedApi,
    readonly home: string,
  ) {}

  static async start(): Promise<OwnProgram> {
    return new OwnProgram(await ScriptedApi.start(), await mkdtemp(path.join(tmpdir(), 'aw-')));
  }

  /** Runs a command line to its end. */
  async run(args: readonly string[], { columns, env = {} }: Otherwise = {}) {
    let [out, err] = ['', ''];
    const nothing = () => () => undefined;
    const code = await runCli(args, {
      env: { AW_API: this.api.url, AW_HOME: this.home, AW_TOKEN: tokenOf('agent'), ...env },
      columns,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      written: async () => undefined,
      nowMs: this.nowMs,
      input: Readable.from([]),
      onInterrupt: nothing,
      onStop: nothing,
    });
    return { code, out, err };
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}
