// How the test talks to a cluster: kubectl for what it does best, one `kubectl proxy` for everything that is asked often.
import { spawn } from 'node:child_process';
import http from 'node:http';
import { createInterface } from 'node:readline';

const PROXY_WITHIN_MS = 20_000;
const EXEC_LIMIT_MS = 120_000;

/** Runs a program; resolves to its exit code and what it printed. `input` goes to its standard input. */
export function spawned([program, ...args], { input, limitMs, cwd, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, shell, stdio: ['pipe', 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (printed[name] += text));
    const limit = limitMs && setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? 1, ...printed });
    });
  });
}

/** One namespace of the cluster that kubectl reaches. */
export class Cluster {
  #proxy;
  #port;

  constructor(namespace, root) {
    Object.assign(this, { namespace, root });
  }

  /** Starts the proxy. */
  async open() {
    this.#proxy = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#proxy.stdout });
    this.#port = await new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('kubectl proxy did not start')), PROXY_WITHIN_MS);
      this.#proxy.once('error', reject);
      this.#proxy.once('exit', () => reject(new Error('kubectl proxy ended: is there a cluster?')));
      lines.on('line', (line) => {
        const port = /:(\d+)$/.exec(line)?.[1];
        if (!port) return;
        clearTimeout(limit);
        resolve(Number(port));
      });
    });
    return this;
  }

  /** The same cluster, another namespace. */
  inNamespace(namespace) {
    const other = new Cluster(namespace, this.root);
    other.#port = this.#port;
    return other;
  }

  close() {
    this.#proxy?.removeAllListeners('exit');
    this.#proxy?.kill();
  }

  /** Runs kubectl in the namespace. @throws Error with what it said when it fails, unless `mayFail` */
  async kubectl(args, { mayFail = false, ...options } = {}) {
    const result = await spawned(['kubectl', '-n', this.namespace, ...args], { cwd: this.root, ...options });
    if (result.code !== 0 && !mayFail)
      throw new Error(`kubectl ${args.slice(0, 4).join(' ')}: ${result.stderr.trim()}`);
    return result;
  }

  /** Runs a program in a container; resolves to what it printed. */
  async exec({ pod, container, command, input }) {
    const where = ['exec', '-i', pod, ...(container ? ['-c', container] : []), '--', ...command];
    return (await this.kubectl(where, { input, limitMs: EXEC_LIMIT_MS })).stdout;
  }

  /** The path of something in the namespace, in the core API. */
  at(path) {
    return `/api/v1/namespaces/${this.namespace}/${path}`;
  }

  /** A JSON object of the API; undefined when there is none. @throws Error for any other refusal */
  async get(path) {
    const { status, text } = await this.call('GET', path);
    if (status === 404) return undefined;
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  async list(path) {
    return (await this.get(path))?.items ?? [];
  }

  pods(selector = '') {
    return this.list(this.at(`pods${selector && `?labelSelector=${encodeURIComponent(selector)}`}`));
  }

  /** One call; resolves to `{ status, text }`. */
  call(method, path, body) {
    return new Promise((resolve, reject) => {
      const headers = body ? { 'content-type': 'application/json' } : {};
      const request = http.request({ port: this.#port, host: '127.0.0.1', method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more) => (text += more));
        response.on('end', () => resolve({ status: response.statusCode, text }));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
    });
  }

  /** Reads an endless response. `onEnd` gets the status if it ends nevertheless. @returns how to stop it */
  follow(path, onText, onEnd = () => {}) {
    let isOver = false;
    const end = (status) => {
      if (!isOver) onEnd(status);
      isOver = true;
    };
    const request = http.get({ port: this.#port, host: '127.0.0.1', path }, (response) => {
      const isGood = response.statusCode === 200;
      response.setEncoding('utf8').on('data', (text) => isGood && onText(text));
      for (const event of ['end', 'error', 'close']) response.once(event, () => end(response.statusCode));
    });
    request.on('error', () => end(0));
    return () => {
      isOver = true;
      request.destroy();
    };
  }
}

/** Hands on whole lines of what comes in pieces. */
export function byLine(onLine) {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    lines.forEach(onLine);
  };
}
