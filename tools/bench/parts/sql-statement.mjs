// Bare part: a statement on one row, committed by itself, through pg.
import { randomBytes, randomUUID } from 'node:crypto';
import { isPostgres } from './bench-database.mjs';

const CALLERS = 20;
const MESSAGE = randomBytes(260);
const SIGNATURE = randomBytes(64);

const STATEMENTS = {
  insert: 'insert into operations (id, agent_id, state, request, revision) values ($1, $2, $3, $4, 1)',
  find: 'select * from operations where id = $1',
  build: 'update operations set message = $2, revision = revision + 1 where id = $1',
  submit: `update operations set signature = $2, state = 'submitted', revision = revision + 1 where id = $1`,
  finish: `update operations set state = 'confirmed', revision = revision + 1 where id = $1`,
};

/** Five a transfer: what one row goes through. Both ends count. */
export function openSqlStatement({ database: { pool } }) {
  const run = (name, ...values) => pool.query({ name, text: STATEMENTS[name], values });
  const call = async () => {
    const id = randomUUID();
    await run('insert', id, randomUUID(), 'accepted', MESSAGE);
    await run('build', id, MESSAGE);
    await run('submit', id, SIGNATURE);
    await run('finish', id);
    const { rows } = await run('find', id);
    if (rows[0].revision !== 4) throw new Error('a bare row lost a change');
  };
  const units = Object.keys(STATEMENTS).length;
  return { name: 'SQL statement on one row', times: 5, units, callers: CALLERS, call, isPeer: isPostgres };
}
