import { browserOnPath, eventually } from '@agent-wallet/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';

/** The browser of this machine, if it has one that speaks the DevTools protocol. */
export const BROWSER = browserOnPath();

/** For a page of megabytes on a busy machine. */
export const WITHIN_MS = 60_000;

/** What a page did that a person would see in its console and its network view. */
export interface Seen {
  /** Errors, warnings and breaches of the content security policy. */
  readonly complaints: string[];
  /** Addresses that it asked for. */
  readonly requested: string[];
}

/** One page of a headless browser, driven over the DevTools protocol. */
export class BrowserPage {
  readonly seen: Seen = { complaints: [], requested: [] };
  readonly #waiting = new Map<number, (message: Message) => void>();
  #lastId = 0;
  #session: string | undefined;

  private constructor(
    private readonly process: ChildProcess,
    private readonly socket: WebSocket,
    private readonly directory: string,
  ) {
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString()) as Message));
  }

  static async open(): Promise<BrowserPage> {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'browser-'));
    const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
    const process = spawn(
      BROWSER as string,
      [...options, '--remote-debugging-port=0', `--user-data-dir=${directory}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let printed = '';
    process.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await eventually(() => /DevTools listening on (ws:\S+)/.test(printed));
    const socket = new WebSocket(/DevTools listening on (ws:\S+)/.exec(printed)?.[1] as string);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const page = new BrowserPage(process, socket, directory);
    const { targetId } = await page.#send('Target.createTarget', { url: 'about:blank' });
    page.#session = (await page.#send('Target.attachToTarget', { targetId, flatten: true })).sessionId as string;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.#send(`${domain}.enable`, {});
    return page;
  }

  async goTo(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** What an expression comes to on the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value?: unknown }).value;
  }

  /** Clicks on the first element of a selector, once it is there. */
  async click(selector: string): Promise<void> {
    const element = `document.querySelector(${JSON.stringify(selector)})`;
    await eventually(
      async () => await this.evaluate(`${element} !== null`),
      (isThere) => isThere === true,
      WITHIN_MS,
    );
    await this.evaluate(`${element}.click()`);
  }

  /** Types into the first element of a selector. */
  async type(selector: string, text: string): Promise<void> {
    const element = `document.querySelector(${JSON.stringify(selector)})`;
    await eventually(
      async () => await this.evaluate(`${element} !== null`),
      (isThere) => isThere === true,
      WITHIN_MS,
    );
    await this.evaluate(`${element}.focus()`);
    await this.#send('Input.insertText', { text });
  }

  /** Chooses a value of the first select of a selector. */
  async choose(selector: string, value: string): Promise<void> {
    const element = `document.querySelector(${JSON.stringify(selector)})`;
    await eventually(
      async () => await this.evaluate(`${element} !== null`),
      (isThere) => isThere === true,
      WITHIN_MS,
    );
    const change = `new Event('change', { bubbles: true })`;
    await this.evaluate(`${element}.value = ${JSON.stringify(value)}; ${element}.dispatchEvent(${change})`);
  }

  /** The text of the first element of a selector, once it has some. */
  async textOf(selector: string): Promise<string> {
    return eventually(
      async () => String(await this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`)),
      (text) => text !== '',
      WITHIN_MS,
    );
  }

  async close(): Promise<void> {
    this.socket.close();
    const exited = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await exited;
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #send(method: string, params: object): Promise<Record<string, unknown>> {
    const id = (this.#lastId += 1);
    this.socket.send(JSON.stringify({ id, method, params, sessionId: this.#session }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result ?? {}),
      );
    });
  }

  #take(message: Message): void {
    if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    const { entry, type, args, exceptionDetails, request } = message.params ?? {};
    if (message.method === 'Log.entryAdded') this.seen.complaints.push(`${entry?.level}: ${entry?.text}`);
    if (message.method === 'Runtime.exceptionThrown') this.seen.complaints.push(JSON.stringify(exceptionDetails));
    if (message.method === 'Network.requestWillBeSent') this.seen.requested.push(request?.url ?? '');
    if (message.method === 'Runtime.consoleAPICalled' && (type === 'error' || type === 'warning')) {
      this.seen.complaints.push(`${type}: ${JSON.stringify(args)}`);
    }
  }
}

/** A message of the protocol, as far as it is looked at. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
  readonly params?: {
    readonly entry?: { readonly level: string; readonly text: string };
    readonly type?: string;
    readonly args?: unknown;
    readonly exceptionDetails?: unknown;
    readonly request?: { readonly url: string };
  };
}
