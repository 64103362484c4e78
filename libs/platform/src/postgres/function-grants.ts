import type pg from 'pg';

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Condition for functions `p` in the schema $1: a function that an extension created belongs to the extension. */
export const IS_OURS = `p.pronamespace = to_regnamespace($1) and not exists (
  select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

/** {@link IS_OURS} for the schema of the session. */
export const IS_OURS_HERE = IS_OURS.replace('to_regnamespace($1)', 'current_schema::regnamespace');

/** A function, and the roles that may call it, apart from its owner. */
interface FunctionGrants {
  readonly name: string;
  readonly signature: string;
  readonly grantees: readonly string[];
  /** Whether every role may call it. */
  readonly is_public: boolean;
}

const GRANTS = `
  select p.proname as name, p.oid::regprocedure::text as signature,
    coalesce(array_agg(a.grantee::regrole::text) filter (where a.grantee not in (0, p.proowner)), '{}') as grantees,
    coalesce(bool_or(a.grantee = 0), false) as is_public
  from pg_proc p left join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    on a.privilege_type = 'EXECUTE'
  where ${IS_OURS_HERE} group by p.oid`;

/**
 * Does work that makes functions of the schema again, which loses their grants, and grants to each role what it had: no less,
 * and nothing that was taken from it. A function with new parameters is for those who could call every one of its name.
 */
export async function keepingGrants(tx: Queryable, work: () => Promise<void>): Promise<void> {
  const before = await readGrants(tx);
  await work();
  for (const { name, signature, is_public: isPublic } of await readGrants(tx)) {
    const same = before.filter((each) => each.signature === signature);
    const olds = same.length > 0 ? same : before.filter((each) => each.name === name);
    const grantees = olds[0]?.grantees.filter((role) => olds.every((each) => each.grantees.includes(role))) ?? [];
    if (grantees.length > 0) await tx.query(`grant execute on routine ${signature} to ${grantees.join(', ')}`);
    const wasPublic = olds.length === 0 || olds.every((each) => each.is_public);
    if (isPublic && !wasPublic) await tx.query(`revoke execute on routine ${signature} from public`);
  }
}

async function readGrants(tx: Queryable): Promise<FunctionGrants[]> {
  return (await tx.query<FunctionGrants>(GRANTS)).rows;
}
