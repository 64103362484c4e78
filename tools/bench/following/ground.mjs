// Two gateways with one history, owners who follow their agents, and changes of these.
import { createPostgresPublisher } from '@agent-wallet/events';
import { newId } from '@agent-wallet/kernel';
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { closing } from '../../measuring/closing.mjs';
import { descendants, productProcess, readProc, variableOf } from '../measure/cpu.mjs';
import { closedLoop } from '../measure/load.mjs';
import { kibOf } from '../measure/memory.mjs';
import { sum } from '../measure/pairs.mjs';
import { eventOf } from '../traffic/backlog.mjs';
import { startDeployment } from '../world.mjs';
import { openProxy } from './counting-proxy.mjs';
import { Follower } from './follower.mjs';
import { createOwners } from './owners.mjs';

/** Each owner comes from a network of its own; the drain is that of the manifests. */
const ENVIRONMENT = { TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '5' };
const OPENED_AT_ONCE = 20;
const PENDING = { status: 1, revision: 1 };

/** Starts both gateways, each with a proxy of its own before history. */
export async function openGround(size) {
  const deployment = await startDeployment({ gateways: 2, environment: ENVIRONMENT });
  const proxies = [];
  for (let n = 0; n < 2; n += 1) proxies.push(await openProxy(deployment.grpcAddressOf('history-0')));
  const ground = new Ground(deployment, proxies, openPool(deployment));
  for (let n = 0; n < 2; n += 1) {
    await deployment.kill(`gateway-${n}`);
    await ground.startGateway(n);
  }
  ground.owners = await createOwners(ground.query, size);
  return ground;
}

/** A pool of the superuser: it writes into every schema. */
function openPool({ infrastructure: { postgres, databases } }) {
  const connection = { ...postgres, database: databases.wallet.database };
  const logger = createLogger('bench', 'silent');
  const database = openDatabase({ connection, schema: 'wallet', logger, maxConnections: 4 });
  return closing(database, () => database.close()).pool;
}

class Ground {
  followers = [];
  owners = [];
  /** Numbers of the gateways that take new streams. */
  gateways = [0, 1];
  /** Changes that are written and that no stream has yet. */
  unread = 0;
  written = 0;
  /** Times from the write of a change to its event, in ms. */
  delays = [];
  #writtenAtMs = new Map();
  #publisher;

  constructor(deployment, proxies, pool) {
    this.deployment = deployment;
    this.proxies = proxies;
    this.query = async (text, values) => (await pool.query(text, values)).rows;
    this.#publisher = createPostgresPublisher({ pool, schema: 'wallet' });
  }

  startGateway(n) {
    return this.deployment.restart(`gateway-${n}`, { HISTORY_ADDRESS: this.proxies[n].address });
  }

  async openStreams() {
    const onChange = (eventId) => {
      // A change that comes twice is the audit's.
      if (!this.#writtenAtMs.has(eventId)) return;
      this.delays.push(performance.now() - this.#writtenAtMs.get(eventId));
      this.#writtenAtMs.delete(eventId);
      this.unread -= 1;
    };
    let turns = 0;
    const choose = () => {
      turns += 1;
      const gateway = this.gateways[turns % this.gateways.length];
      return { gateway, url: this.deployment.url(gateway) };
    };
    this.followers = this.owners.map((owner) => new Follower(owner, choose, onChange));
    const waiting = [...this.followers];
    await closedLoop({ callers: OPENED_AT_ONCE, calls: waiting.length, call: () => waiting.pop().open() });
  }

  /** Appends changes of random agents to the log of events, as relays do. */
  async write(count) {
    const random = (list) => list[Math.floor(Math.random() * list.length)];
    const events = Array.from({ length: count }, () => eventOf(random(random(this.owners).agentIds), newId(), PENDING));
    for (const { eventId } of events) this.#writtenAtMs.set(eventId, performance.now());
    this.unread += count;
    await this.#publisher.publish(events);
    this.written += count;
  }

  get failures() {
    return sum(this.followers.map((follower) => follower.failures));
  }

  /** Resident memory of the n-th gateway, in bytes. */
  memoryOf(n) {
    const { port } = new URL(this.deployment.url(n));
    const isIt = (process) => productProcess(process) === 'gateway' && variableOf(process.pid, 'PORT') === port;
    const { pid } = [...descendants().values()].find(isIt);
    return kibOf(readProc(pid, 'status') ?? '', 'VmRSS') * 1_024;
  }
}
