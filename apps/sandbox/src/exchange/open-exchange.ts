import { systemClock } from '@agent-wallet/kernel';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { PriceBoard } from '../market/price-board.js';
import type { ChainClock } from '../chain/chain-clock.js';
import type { FaultBoard } from '../faults/fault-board.js';
import type { Journal } from '../journal/journal.js';
import { ExchangeServer } from './access/exchange-server.js';
import type { ApiKey } from './access/signature-check.js';
import { type TierName, TIERS } from './access/tiers.js';
import { Exchange } from './engine/exchange.js';
import { accountRoutes } from './portfolio/account-routes.js';
import { createExchangeServer } from './rest/exchange-server.js';
import { marketDataRoutes } from './rest/market-data-routes.js';
import { ExchangeWorld } from './world/exchange-world.js';
import { listSeed } from './world/listing.js';
import { MarketMaker } from './world/market-maker.js';
import { seededWorld } from './world/seed/seeded-world.js';
import { openExchangeSocket } from './ws/exchange-socket.js';

/** Settings of the exchange. */
export interface ExchangeSettings {
  /** The key of the exchange's account; without it every request is rejected. */
  readonly exchangeKey: ExchangeKey | undefined;
  /** The rate limits of the account. */
  readonly exchangeTier: TierName;
  /** The account's first cash in micro-dollars. */
  readonly exchangeCashMicros: bigint;
}

/** The exchange's one API key. */
export interface ExchangeKey {
  readonly id: string;
  /** A file with the public half, PEM. */
  readonly publicKeyPath: string;
}

interface ExchangeGround {
  readonly clock: ChainClock;
  readonly journal: Journal;
  readonly faults: FaultBoard;
  readonly prices: PriceBoard;
  readonly seed: Buffer;
  /** When the world began, in unix milliseconds. */
  readonly originMs: number;
  readonly settings: ExchangeSettings;
}

/** The exchange's parts. */
interface ExchangeParts {
  readonly exchange: Exchange;
  readonly exchangeWorld: ExchangeWorld;
  readonly exchangeServer: ExchangeServer;
  readonly marketMaker: MarketMaker;
}

/** The exchange as its world begins, before the journal is read. @throws Error that names a bad key's variable */
export function openExchange(ground: ExchangeGround): ExchangeParts {
  const { clock, journal, faults, prices, seed, originMs, settings } = ground;
  const exchangeServer = openDoor(faults, settings);
  const exchangeWorld = new ExchangeWorld(seededWorld(originMs), journal);
  const exchange = new Exchange({ clock, journal, cashMicros: settings.exchangeCashMicros });
  listSeed(exchangeWorld, exchange);
  const marketMaker = new MarketMaker({ exchange, world: exchangeWorld, prices, seed, clock });
  return { exchange, exchangeWorld, exchangeServer, marketMaker };
}

interface ServedExchange extends ExchangeParts {
  readonly faults: FaultBoard;
  readonly journal: Journal;
}

/** The exchange's REST API and its socket, on one server. */
export function createExchangeServers({ exchange, exchangeWorld, exchangeServer, faults, journal }: ServedExchange): {
  server: Server;
  socket: { close(): void };
} {
  const routes = [
    ...marketDataRoutes({ exchange, world: exchangeWorld }),
    ...accountRoutes({ exchange, faults, journal, tier: exchangeServer.tier }),
  ];
  const server = createExchangeServer({ routes, admit: (head) => exchangeServer.admit(head) });
  return {
    server,
    socket: openExchangeSocket({ server, exchange, admit: (head) => exchangeServer.admitSocket(head) }),
  };
}

function openDoor(faults: FaultBoard, { exchangeKey, exchangeTier }: ExchangeSettings): ExchangeServer {
  const options = { faults, clock: systemClock, tier: TIERS[exchangeTier] };
  try {
    return new ExchangeServer({ ...options, key: exchangeKey && readKey(exchangeKey) });
  } catch (cause) {
    throw new Error(`SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: ${(cause as Error).message}`, { cause });
  }
}

function readKey({ id, publicKeyPath }: ExchangeKey): ApiKey {
  return { id, publicKeyPem: readFileSync(publicKeyPath, 'utf8') };
}
