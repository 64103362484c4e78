import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Ended, runHere, start } from './program.js';
import { ScriptedApi, tokenOf } from './scripted-api.js';

/** The program of an agent, with a folder of its own, at a service that a test scripts. */
export class ScriptedProgram {
  private constructor(
    readonly api: ScriptedApi,
    readonly home: string,
    private readonly agentId: string,
  ) {}

  static async start(agentId: string): Promise<ScriptedProgram> {
    return new ScriptedProgram(await ScriptedApi.start(), await mkdtemp(path.join(tmpdir(), 'aw-')), agentId);
  }

  /** Runs the built program to its end. */
  run(...args: string[]): Promise<Ended> {
    return start(args, this.#environment()).ended;
  }

  /** Runs a command line in this process until it has its exit code. A finished request may be forgotten later. */
  runHere(...args: string[]): Promise<Ended> {
    return runHere(args, this.#environment());
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await rm(this.home, { recursive: true });
  }

  #environment(): Record<string, string> {
    return { AW_API: this.api.url, AW_HOME: this.home, AW_TOKEN: tokenOf(this.agentId) };
  }
}
