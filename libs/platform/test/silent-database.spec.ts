import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Secret } from '@agent-wallet/kernel';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Database, databaseError, type DatabaseTransaction, openDatabase } from '../src/index.js';
import { openTestDatabase, silent, type TestDatabase } from './support.js';

/** Longer than what answers takes on a busy machine. */
const RESPONSE_TIMEOUT_MS = 2_000;

/** Stands before Postgres; what goes through a connection can end without a word, as when a machine loses its power. */
class Door {
  readonly #sockets: Socket[] = [];
  readonly #server: Server;

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((inside) => {
      const outside = connect(target);
      for (const socket of [inside, outside]) this.#sockets.push(socket.on('error', () => {}));
      inside.pipe(outside).pipe(inside);
    });
  }

  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops all traffic on the current connections without closing them. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

let test: TestDatabase;
let door: Door;
let database: Database;

beforeEach(async () => {
  test = await openTestDatabase();
  const { host, port, password, ...rest } = test.connection;
  door = new Door({ host, port });
  const connection = { ...rest, host: '127.0.0.1', port: await door.open(), password: new Secret(password) };
  database = openDatabase({ connection, schema: 'things', logger: silent, responseTimeoutMs: RESPONSE_TIMEOUT_MS });
  await database.pool.query('create schema things; create table things (n int)');
});

afterEach(async () => {
  await door.close();
  await database.close();
  await test.close();
});

const isAway = (error: unknown) => databaseError(error).code === 'SERVICE_UNAVAILABLE';

describe('a database that says nothing any more', () => {
  it('fails the statement under way as one that is away, and the next one takes another connection', async () => {
    const asked = database.pool.query('select 1 as one');
    door.silence();
    expect(isAway(await asked.catch((error: unknown) => error))).toBe(true);
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('fails the transaction under way without asking for more, and nothing of it is kept', async () => {
    let asked: jest.SpiedFunction<DatabaseTransaction['query']>;
    const failed = database.transaction(async (tx) => {
      await tx.query('insert into things values (1)');
      door.silence();
      asked = jest.spyOn(tx, 'query');
      await tx.query('insert into things values (2)');
    });
    expect(isAway(await failed.catch((error: unknown) => error))).toBe(true);
    expect(asked!).toHaveBeenCalledTimes(1);
    expect((await database.pool.query('select * from things')).rows).toEqual([]);
  });
});
