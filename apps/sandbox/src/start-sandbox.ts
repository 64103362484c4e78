import { systemClock } from '@agent-wallet/kernel';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Server } from 'node:http';
import { createAdminServer } from './admin/admin-server.js';
import { createAggregatorServer } from './aggregator/aggregator-server.js';
import { PriceBoard } from './market/price-board.js';
import { tipReceiverAccounts } from './aggregator/swap/tip-receivers.js';
import { Chain } from './chain/chain.js';
import { openGenesis } from './chain/genesis.js';
import { readTransaction } from './chain/message.js';
import { createRpcServer } from './chain/rpc/rpc-server.js';
import { RpcService } from './chain/rpc/rpc-service.js';
import { addressesOf } from './chain/rpc/sending-methods.js';
import { SubscriptionHub } from './chain/ws/subscription-hub.js';
import { openWebSocketServer } from './chain/ws/ws-server.js';
import { createExchangeServers, openExchange } from './exchange/open-exchange.js';
import { EXCHANGE_PREFIX } from './exchange/rest/exchange-server.js';
import { SOCKET_PATH } from './exchange/ws/exchange-socket.js';
import { FaultBoard } from './faults/fault-board.js';
import { close, listen } from './http/listen.js';
import { DataDirLock } from './journal/data-dir-lock.js';
import { type Disk, systemDisk } from './journal/disk.js';
import { Journal, type JournalRecord } from './journal/journal.js';
import { RecordType } from './journal/record-types.js';
import { liquidityAccounts } from './liquidity/genesis.js';
import { LiquidityVenue } from './liquidity/liquidity-venue.js';
import { LIQUIDITY_PREFIX } from './liquidity/api/liquidity-gate.js';
import { Inbox } from './mail/inbox.js';
import { createMailServer } from './mail/mail-server.js';
import { marketAccounts, marketPrograms } from './market/genesis.js';
import { oracleAccounts } from './market/oracle.js';
import { PoolMarket } from './market/pool-market.js';
import type { SandboxSettings } from './settings.js';
import { Faucet } from './tokens/faucet.js';
import { MintMaker } from './tokens/mint-maker.js';
import { genesisAccounts, sandboxParties } from './tokens/token-accounts.js';
import { TokenRegistry } from './tokens/registry.js';
import { Sender } from './tokens/sender.js';

/** A sandbox that serves. */
export interface RunningSandbox {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly aggregatorUrl: string;
  /** The liquidity venue's API, with its prefix. */
  readonly liquidityUrl: string;
  /** With the API's prefix, as clients are given it. */
  readonly exchangeUrl: string;
  readonly exchangeWsUrl: string;
  readonly smtpUrl: string;
  readonly adminUrl: string;
  readonly ports: Readonly<Record<'rpc' | 'ws' | 'aggregator' | 'exchange' | 'smtp' | 'admin', number>>;
  /** Ends every part and waits until the disk has everything. */
  stop(): Promise<void>;
}

/**
 * Starts the simulated upstreams: reads its state back, then serves every part.
 * @throws CannotListen naming a port that is in use
 */
export async function startSandbox(settings: SandboxSettings, disk = systemDisk): Promise<RunningSandbox> {
  mkdirSync(settings.dataDir, { recursive: true });
  const lock = DataDirLock.take(settings.dataDir);
  try {
    const world = openParts(settings, disk);
    world.chain.start();
    world.exchange.start();
    world.marketMaker.start();
    const sandbox = await serve(settings, world);
    return { ...sandbox, stop: () => sandbox.stop().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

type World = ReturnType<typeof openParts>;

/** Everything but the doors, with the state of before. */
function openParts(settings: SandboxSettings, disk: Disk) {
  const genesis = openGenesis(settings.dataDir, settings.slotMs, systemClock.nowMs());
  const people = sandboxParties(genesis.seed);
  const journal = Journal.open(path.join(settings.dataDir, 'journal.log'), disk);
  const options = { slotMs: settings.slotMs, finalizeSlots: settings.finalizeSlots, nowMs: () => systemClock.nowMs() };
  const { marketMaker: maker } = people;
  const pools = [...marketAccounts(maker), ...liquidityAccounts(maker)];
  const accounts = [...genesisAccounts(people), ...pools, ...tipReceiverAccounts()];
  const chain = new Chain({ ...genesis, accounts, programs: marketPrograms() }, options, journal);
  const tokens = new TokenRegistry(journal);
  const prices = new PriceBoard(genesis.seed, chain.clock, journal);
  chain.derive(oracleAccounts(prices, chain.clock));
  const faults = new FaultBoard(journal);
  const inbox = new Inbox(journal);
  const exchangeParts = openExchange({
    ...{ clock: chain.clock, journal, faults, prices, settings },
    ...{ seed: genesis.seed, originMs: genesis.origin.timeMs },
  });
  journal.replay((record) => replay(record, { chain, tokens, prices, faults, inbox, ...exchangeParts }));
  armRollbacks(chain, faults);
  const sender = new Sender(chain);
  const faucet = new Faucet(chain, people, sender);
  const mintMaker = new MintMaker(chain, people, sender);
  const market = new PoolMarket({ chain, tokens, prices }, maker);
  const liquidity = new LiquidityVenue({ chain, tokens, prices });
  const traders = { sender, faucet, mintMaker, maker, market, liquidity };
  return { journal, chain, tokens, prices, faults, inbox, ...traders, ...exchangeParts };
}

/** Undoes what a fault says a while after it has landed. */
function armRollbacks(chain: Chain, faults: FaultBoard): void {
  chain.onLanding(({ signature }, { wire }) => {
    const addresses = () => addressesOf(readTransaction(wire));
    const fault = faults.take('chain', 'rollback', { byDefault: true, addresses });
    if (fault) setTimeout(() => chain.rollBack(signature), fault.delayMs).unref();
  });
}

type Replayed = 'chain' | 'tokens' | 'prices' | 'faults' | 'inbox' | 'exchange' | 'exchangeWorld';

function replay(record: JournalRecord, parts: Pick<World, Replayed>): void {
  const { type, payload } = record;
  if (type === RecordType.token) parts.tokens.replay(payload);
  else if (type === RecordType.price) parts.prices.replay(payload);
  else if (type === RecordType.fault) parts.faults.replay(payload);
  else if (type === RecordType.mail) parts.inbox.replay(payload);
  else if (type === RecordType.exchange) parts.exchange.replay(payload);
  else if (type === RecordType.exchangeWorld) parts.exchangeWorld.replay(payload);
  else parts.chain.replay(record);
}

async function serve(settings: SandboxSettings, world: World): Promise<RunningSandbox> {
  const { host } = settings;
  let isReady = false;
  const rpc = new RpcService({ ...world, airdrop: (to, lamports) => world.faucet.sendSol(to, lamports) });
  const mail = createMailServer(world.inbox, world.faults);
  const exchangeServers = createExchangeServers(world);
  const servers = {
    rpc: createRpcServer(rpc),
    ws: createRpcServer(rpc),
    aggregator: createAggregatorServer(world),
    exchange: exchangeServers.server,
    admin: createAdminServer({ ...world, isReady: () => isReady }),
  };
  const hub = new SubscriptionHub(world.chain);
  const sockets = openWebSocketServer(world.chain, hub, [servers.rpc, servers.ws]);
  const stop = async (): Promise<void> => {
    isReady = false;
    world.chain.stop();
    world.marketMaker.stop();
    world.exchange.stop();
    hub.stop();
    exchangeServers.socket.close();
    for (const socket of sockets.clients) socket.terminate();
    await new Promise<void>((resolve) => mail.close(() => resolve()));
    await Promise.all(Object.values(servers).map((server: Server) => close(server)));
    await world.journal.close();
  };
  try {
    const at = (part: string, port: number) => ({ host, port, variable: `SANDBOX_${part}_PORT` });
    const ports = {
      rpc: await listen(servers.rpc, at('RPC', settings.rpcPort)),
      ws: await listen(servers.ws, { ...at('WS', settings.wsPort), purpose: WS_PURPOSE }),
      aggregator: await listen(servers.aggregator, at('AGGREGATOR', settings.aggregatorPort)),
      exchange: await listen(servers.exchange, at('EXCHANGE', settings.exchangePort)),
      smtp: await listen(mail.server, at('SMTP', settings.smtpPort)),
      admin: await listen(servers.admin, at('ADMIN', settings.adminPort)),
    };
    isReady = true;
    return { ...urls(host, ports), ports, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urls(host: string, ports: RunningSandbox['ports']): Omit<RunningSandbox, 'ports' | 'stop'> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    rpcUrl: `http://${name}:${ports.rpc}`,
    wsUrl: `ws://${name}:${ports.ws}`,
    aggregatorUrl: `http://${name}:${ports.aggregator}`,
    liquidityUrl: `http://${name}:${ports.aggregator}${LIQUIDITY_PREFIX}`,
    exchangeUrl: `http://${name}:${ports.exchange}${EXCHANGE_PREFIX}`,
    exchangeWsUrl: `ws://${name}:${ports.exchange}${SOCKET_PATH}`,
    smtpUrl: `smtp://${name}:${ports.smtp}`,
    adminUrl: `http://${name}:${ports.admin}`,
  };
}

/** Most people set neither variable, and one RPC port is all that they know of. */
const WS_PURPOSE = 'the WebSocket of the RPC port, SANDBOX_RPC_PORT + 1 unless set';
