import { ChannelCredentials, Client, type ClientOptions } from '@grpc/grpc-js';
import { type Identity, isSameIdentity, readIdentity, type TlsFiles } from './tls-files.js';

/** Options of a channel. */
interface ChannelOptions {
  readonly address: string;
  /** The name that the servers' certificates must carry. */
  readonly service: string;
  readonly tls: TlsFiles;
  /** Interval between two reads of the files. */
  readonly rereadMs: number;
  /** Called when they cannot be used; the last good ones stay in use. */
  readonly onTlsProblem: (error: Error) => void;
}

/** A channel with one identity, and how many calls are on their way in it. */
interface Generation {
  readonly client: Client;
  calls: number;
}

/** Every replica that the name stands for takes its turn; one that is away is left out until it is back. */
const BY_TURNS = JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] });

/**
 * Returns the channel options. grpc-js itself retries once what a server has refused to begin with, and nothing else.
 */
function optionsOf(service: string): ClientOptions {
  return {
    'grpc.ssl_target_name_override': service,
    'grpc.service_config': BY_TURNS,
    'grpc.service_config_disable_resolution': 1,
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  };
}

/**
 * A channel whose certificate may change: calls that are made after that go through another one, and the one before closes
 * when its last call is over.
 */
export class RotatingChannel {
  readonly #options: ChannelOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #old = new Set<Generation>();
  #identity: Identity;
  #current: Generation;
  #trouble: string | undefined;
  #isClosed = false;
  #drained: (() => void) | undefined;

  private constructor(options: ChannelOptions, identity: Identity) {
    this.#options = options;
    this.#identity = identity;
    this.#current = this.#open(identity);
    this.#timer = setInterval(() => void this.#reread(), options.rereadMs).unref();
  }

  /** Reads the files; connects on the first call. @throws Error when they cannot be used */
  static async open(options: ChannelOptions): Promise<RotatingChannel> {
    return new RotatingChannel(options, await readIdentity(options.tls));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Does something with the channel that is in use, which stays open until that is done. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const generation = this.#current;
    generation.calls += 1;
    try {
      return await work(generation.client);
    } finally {
      generation.calls -= 1;
      this.#settle(generation);
    }
  }

  /** Takes no more calls, and closes once those under way are over, or the time is. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#old.add(this.#current);
    const drained = new Promise<void>((resolve) => (this.#drained = resolve));
    this.#settle(this.#current);
    const late = setTimeout(() => this.#drained?.(), graceMs);
    await drained;
    clearTimeout(late);
    for (const { client } of this.#old) client.close();
    this.#old.clear();
  }

  #open({ ca, cert, key }: Identity): Generation {
    const credentials = ChannelCredentials.createSsl(ca, key, cert);
    const { address, service } = this.#options;
    return { client: new Client(address, credentials, optionsOf(service)), calls: 0 };
  }

  #settle(generation: Generation): void {
    if (generation.calls > 0 || !this.#old.has(generation)) return;
    this.#old.delete(generation);
    generation.client.close();
    if (this.#isClosed && this.#old.size === 0) this.#drained?.();
  }

  async #reread(): Promise<void> {
    try {
      const identity = await readIdentity(this.#options.tls);
      this.#trouble = undefined;
      if (this.#isClosed || isSameIdentity(identity, this.#identity)) return;
      const before = this.#current;
      this.#identity = identity;
      this.#current = this.#open(identity);
      this.#old.add(before);
      this.#settle(before);
    } catch (error) {
      const problem = error as Error;
      if (problem.message === this.#trouble) return;
      this.#trouble = problem.message;
      this.#options.onTlsProblem(problem);
    }
  }
}
