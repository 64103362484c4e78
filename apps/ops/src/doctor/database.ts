import { setting } from '@agent-wallet/platform';
import { examineDatabase, type DatabaseState } from '../adapters/examine-database.js';
import { SCHEMA_DIRECTORIES } from '../schemas.js';
import { type Check, type CheckContext, defineCheck, fail, type Finding, ok, warn } from './check.js';

/** Statements use `RETURNING old.…`. */
const LEAST_VERSION = 18;
const CLOCK_WARN_MS = 1_000;
const CLOCK_FAIL_MS = 5_000;

function databaseCheck(name: string, judge: (state: DatabaseState, context: CheckContext) => Finding): Check {
  return defineCheck({
    name,
    area: 'database',
    settings: { DATABASE_URL: setting.postgres(), DATABASE_PASSWORD_PATH: setting.path().optional() },
    advice: 'Check DATABASE_URL, its password, and that the role may connect from here.',
    run: async ({ DATABASE_URL: connection, DATABASE_PASSWORD_PATH: passwordPath }, context) =>
      judge(await examineDatabase({ ...connection, passwordPath }, SCHEMA_DIRECTORIES), context),
  });
}

/** Judges the number of a server's version. */
export function judgeVersion({ version }: Pick<DatabaseState, 'version'>): Finding {
  const major = Math.floor(version / 10_000);
  const found = `Postgres ${major}.${version % 10_000}`;
  return major < LEAST_VERSION
    ? warn(found, `Upgrade Postgres to version ${LEAST_VERSION}: some statements need it.`)
    : ok(found);
}

function judgeClock({ nowMs }: DatabaseState, { clock }: CheckContext): Finding {
  const differenceMs = Math.abs(clock.nowMs() - nowMs);
  const found = `its clock differs from this machine's by ${(differenceMs / 1_000).toFixed(1)} s`;
  const advice = 'Synchronize both machines with NTP: docs/operating.md, "Clocks".';
  if (differenceMs > CLOCK_FAIL_MS) return fail(found, advice);
  return differenceMs > CLOCK_WARN_MS ? warn(found, advice) : ok(found);
}

function judgeSchemas({ schemas }: DatabaseState): Finding {
  const advice = "Run the service's migrations, of this version: --help of its migrate.js says how.";
  if (schemas.length === 0) return fail('no schema of a service that this role may use', advice);
  const outdated = schemas.filter(({ missing }) => missing.length > 0);
  if (outdated.length === 0) return ok(`current: ${schemas.map(({ schema }) => schema).join(', ')}`);
  return fail(outdated.map(({ schema, missing }) => `${schema} lacks ${missing.join(', ')}`).join('; '), advice);
}

/** Checks of the database in the environment. */
export const DATABASE_CHECKS: readonly Check[] = [
  databaseCheck('version', judgeVersion),
  databaseCheck('clock', judgeClock),
  databaseCheck('schema', judgeSchemas),
];
