import { createInterface } from 'node:readline';
import type { Ended, Ends, Run } from './program.js';

/** A JSON-RPC message of the program. */
export interface Line {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly progress?: number };
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A host that writes lines to `aw mcp` and reads lines of it. */
export class McpHost {
  readonly #lines: AsyncIterator<string>;
  readonly #run: Run<Ends>;

  constructor(run: Run<Ends>) {
    this.#run = run;
    this.#lines = createInterface({ input: this.#run.child.stdout })[Symbol.asyncIterator]();
  }

  get ended(): Promise<Ended> {
    return this.#run.ended;
  }

  /** Writes text as it is. */
  write(text: string | Buffer): void {
    this.#run.child.stdin.write(text);
  }

  /** Writes a request of 2026-07-28, or a notification where the id is undefined. */
  send(id: string | number | undefined, method: string, params: object = {}, meta: object = {}): void {
    this.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...META, ...meta } } })}\n`,
    );
  }

  /** Writes a call of a tool. */
  call(id: string | number, name: string, args: object = {}): void {
    this.send(id, 'tools/call', { name, arguments: args });
  }

  /** Reads the next line as it is. */
  async nextText(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`The program has ended: ${(await this.ended).err}`);
    return value;
  }

  async next(): Promise<Line> {
    return JSON.parse(await this.nextText()) as Line;
  }

  closeInput(): void {
    this.#run.child.stdin.end();
  }

  /** Stops reading what the program answers. */
  closeOutput(): void {
    this.#run.child.stdout.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#run.child.kill(signal);
  }
}
