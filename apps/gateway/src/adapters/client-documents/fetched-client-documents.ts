import { clamp, type Clock, OpenCalls, RecentlyUsed } from '@agent-wallet/kernel';
import { type ClientDocuments, ClientRefused, type OAuthClient } from '../../ports/client-documents.js';
import { documentUrl } from './document-url.js';
import { fetchDocument } from './fetch-document.js';
import { INTERNET, type Network } from './network.js';
import { parseDocument } from './parse-document.js';

const KEPT_AT_MOST = 1_000;
const FETCHES_AT_ONCE = 100;
const FETCHES_OF_NETWORK = 2;

const LEAST_KEPT_SECONDS = 30;
const MOST_KEPT_SECONDS = 86_400;
const USUALLY_KEPT_SECONDS = 300;

interface Kept<Value> {
  readonly value: Value;
  /** Unix milliseconds. */
  readonly untilMs: number;
}

/**
 * Documents of clients, fetched from the internet. Strangers choose the addresses, so fetches reach public addresses only,
 * are few at once, and are not repeated soon, even when they fail.
 */
export class FetchedClientDocuments implements ClientDocuments {
  readonly #clients = new RecentlyUsed<Kept<OAuthClient>>(KEPT_AT_MOST);
  /** Reasons, apart from the clients: refusals are cheap to cause and must not displace them. */
  readonly #refusals = new RecentlyUsed<Kept<string>>(KEPT_AT_MOST);
  readonly #underWay = new Map<string, Promise<OAuthClient>>();
  /** Fetches under way, by the network that asked. */
  readonly #ofNetwork = new Map<string, number>();
  readonly #calls = new OpenCalls();

  constructor(
    private readonly clock: Clock,
    private readonly network: Network = INTERNET,
  ) {}

  async read(clientId: string, network: string): Promise<OAuthClient> {
    const url = documentUrl(clientId);
    const client = this.#current(this.#clients, clientId);
    if (client) return client;
    const refusal = this.#current(this.#refusals, clientId);
    if (refusal !== undefined) throw new ClientRefused(refusal);
    return this.#underWay.get(clientId) ?? this.#share(network, () => this.#startFetch(clientId, url));
  }

  #current<Value>(of: RecentlyUsed<Kept<Value>>, clientId: string): Value | undefined {
    const kept = of.use(clientId);
    return kept && this.clock.nowMs() < kept.untilMs ? kept.value : undefined;
  }

  /**
   * Starts a fetch for a network that has a share left. Hosts may be as slow as the time limit allows, so half of all
   * fetches are kept for networks that have none.
   * @throws ClientRefused
   */
  async #share(network: string, start: () => Promise<OAuthClient>): Promise<OAuthClient> {
    const fetching = this.#ofNetwork.get(network) ?? 0;
    if (fetching >= FETCHES_OF_NETWORK)
      throw new ClientRefused('Too many clients connect from this network. Try again.');
    const atMost = fetching === 0 ? FETCHES_AT_ONCE : FETCHES_AT_ONCE / 2;
    if (this.#underWay.size >= atMost) {
      throw new ClientRefused('The authorization server is busy with other client documents. Try again.');
    }
    this.#ofNetwork.set(network, fetching + 1);
    try {
      return await start();
    } finally {
      const left = this.#ofNetwork.get(network)! - 1;
      if (left > 0) this.#ofNetwork.set(network, left);
      else this.#ofNetwork.delete(network);
    }
  }

  #startFetch(clientId: string, url: URL): Promise<OAuthClient> {
    const fetching = this.#fetch(clientId, url).finally(() => this.#underWay.delete(clientId));
    this.#underWay.set(clientId, fetching);
    return fetching;
  }

  async #fetch(clientId: string, url: URL): Promise<OAuthClient> {
    try {
      const { network } = this;
      const { bytes, cacheControl } = await this.#calls.within(network.withinMs, (signal) =>
        fetchDocument(url, network, signal),
      );
      const client = parseDocument(clientId, bytes);
      this.#clients.keep(clientId, { value: client, untilMs: this.#untilMs(secondsToKeep(cacheControl)) });
      return client;
    } catch (error) {
      if (error instanceof ClientRefused)
        this.#refusals.keep(clientId, { value: error.message, untilMs: this.#untilMs(LEAST_KEPT_SECONDS) });
      throw error;
    }
  }

  #untilMs(seconds: number): number {
    return this.clock.nowMs() + seconds * 1_000;
  }
}

/** Reads `Cache-Control` within bounds: a document must neither be fetched at each request nor kept for ever. */
function secondsToKeep(cacheControl = ''): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return LEAST_KEPT_SECONDS;
  const maxAge = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl)?.[1];
  return maxAge === undefined ? USUALLY_KEPT_SECONDS : clamp(Number(maxAge), LEAST_KEPT_SECONDS, MOST_KEPT_SECONDS);
}
