import pg from 'pg';
import { startLoop } from '../lifecycle/background-loop.js';
import type { Logger } from '../log/logger.js';

/** Hears a channel, until it is stopped. */
export interface Listening {
  stop(): Promise<void>;
}

/** Options of a listener. */
interface ListenOptions {
  readonly config: pg.ClientConfig;
  readonly channel: string;
  /** Called for every message, and once whenever the channel is open again: messages before are lost. */
  readonly onMessage: () => void;
  readonly logger: Logger;
}

const AGAIN_AFTER_MS = 1_000;

/**
 * Hears a channel of NOTIFY over a connection of its own. A connection that is lost is made again; meanwhile nothing is
 * heard, so a listener also polls now and then.
 */
export function listen({ config, channel, onMessage, logger }: ListenOptions): Listening {
  let client: pg.Client | undefined;
  let connecting: Promise<unknown> | undefined;
  const round = async () => {
    const own = new pg.Client(config);
    client = own;
    const ended = new Promise<void>((resolve) => own.once('end', resolve));
    own.on('error', (err) =>
      logger.warn({ event: 'database_connection.lost', channel, err }, 'Listening database connection lost'),
    );
    own.on('notification', onMessage);
    try {
      await (connecting = own.connect());
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      onMessage();
      await ended;
    } finally {
      await own.end().catch(() => undefined);
    }
    return false;
  };
  const loop = startLoop({ name: `listen ${channel}`, logger, idleMs: AGAIN_AFTER_MS, round });
  const stop = async () => {
    const stopped = loop.stop();
    // A client that is ended before it is connected would never say that it is not.
    await connecting?.catch(() => undefined);
    await client?.end().catch(() => undefined);
    await stopped;
  };
  return { stop };
}
