import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Ended, start } from './program.js';
import { ScriptedApi, tokenOf } from './scripted-api.js';

/** The built program of an agent, with a folder of its own, at a service that a test scripts. */
export class ScriptedProgram {
  private constructor(
    readonly api: ScriptedApi,
    readonly home: string,
    private readonly agentId: string,
  ) {}

  static async start(agentId: string): Promise<ScriptedProgram> {
    return new ScriptedProgram(await ScriptedApi.start(), await mkdtemp(path.join(tmpdir(), 'aw-')), agentId);
  }

  /** Runs the program to its end. */
  run(...args: string[]): Promise<Ended> {
    const { api, home, agentId } = this;
    return start(args, { AW_API: api.url, AW_HOME: home, AW_TOKEN: tokenOf(agentId) }).ended;
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await rm(this.home, { recursive: true });
  }
}
