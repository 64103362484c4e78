import { spawn } from 'node:child_process';

/** A shell to which commands are given one after the other; variables stay. */
export class Shell {
  readonly #child = spawn('bash', ['-eu'], { stdio: ['pipe', 'pipe', 'inherit'] });
  #printed = '';
  #ended = false;
  #turn = 0;

  constructor() {
    this.#child.stdout.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
    this.#child.once('exit', () => (this.#ended = true));
  }

  /** Runs commands, and resolves with what they printed. @throws Error when one of them failed */
  async run(commands: string): Promise<string> {
    const mark = `end of turn ${(this.#turn += 1)}\n`;
    this.#printed = '';
    this.#child.stdin.write(`${commands}\nprintf '%s' '${mark}'\n`);
    while (!this.#printed.endsWith(mark)) {
      if (this.#ended) throw new Error(`the shell ended: ${this.#printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.#printed.slice(0, -mark.length);
  }

  close(): void {
    this.#child.stdin.end();
  }
}
