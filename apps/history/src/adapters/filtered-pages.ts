import { NIL_UUID } from '@agent-wallet/kernel';
import { LIVE } from './history-tables.js';
import { ANCHOR_EVERY } from './page-anchors.js';
import { selectValue } from './settled-values.js';
import { COLUMNS } from './transaction-rows.js';

/* Statements for the parts of a list. $1 is the agent, $2 the action ('' for all) and $3 the limit of each. */

/*
 * Rows are limited first and compared with $4 afterwards, which is the same in this order. With both ends of a range in
 * one index condition, Postgres expects so few rows that it sorts all of them.
 */
const NEWEST_FIRST = 'order by t.created_at desc, t.id desc';

/** Selects the records created from $4 on and before $5: the page after $6 of them, and their number. */
export function rangedPageStatement(inList: string): string {
  return `with counted as (
            select coalesce(max(total), 0) as total from ${LIVE.counts} where agent_id = $1 and action = $2),
          ranks as (select total, ${rankOf('$5', inList)} as upper, ${rankOf('$4', inList)} as lower from counted),
          start as (
            select r.*, coalesce(m.before, r.total) - (r.upper - $6) as skip,
              coalesce(m.created_at, 'infinity') as created_at,
              coalesce(m.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff') as id
            from ranks r left join lateral (
              select k.created_at, k.id, k.before from ${LIVE.pageAnchors} k
              where k.agent_id = $1 and k.action = $2 and k.before >= r.upper - $6
              order by k.before limit 1) m on true)
          select s.upper - s.lower as total, p.*, ${selectValue('p')} as value from start s left join lateral (
            select ${COLUMNS} from ${LIVE.transactions} t
            where s.upper - s.lower > $6 and ${inList} and (t.created_at, t.id) < (s.created_at, s.id)
            ${NEWEST_FIRST} offset s.skip limit $3) p on p.created_at >= $4
          order by p.created_at desc, p.id desc`;
}

/** Selects the records created from $4 on and before $5: the page after the place ($6, $7), and their number. */
export function rangedNextStatement(inList: string): string {
  return `select r.total, p.*, ${selectValue('p')} as value from (
            select ${rankOf('$5', inList)} - ${rankOf('$4', inList)} as total) r
          left join lateral (
            select ${COLUMNS} from ${LIVE.transactions} t
            where ${inList} and (t.created_at, t.id) < ($6, $7)
            ${NEWEST_FIRST} limit $3) p on p.created_at >= $4
          order by p.created_at desc, p.id desc`;
}

/**
 * Counts the records of a list before an instant: those before the nearest anchor, and the fewer than 500 from there on.
 * Without the limit, the planner overestimates their number and may scan the whole table.
 */
function rankOf(instant: string, inList: string): string {
  return `(select coalesce(k.before, 0) + (
             select count(*) from (
               select from ${LIVE.transactions} t
               where ${inList} and t.created_at < ${instant}::timestamptz
                 and (t.created_at, t.id) >= (coalesce(k.created_at, '-infinity'), coalesce(k.id, '${NIL_UUID}'))
               ${NEWEST_FIRST} limit ${2 * ANCHOR_EVERY}) t)
           from (select) one left join lateral (
             select created_at, id, before from ${LIVE.pageAnchors}
             where agent_id = $1 and action = $2 and created_at < ${instant}::timestamptz
             order by created_at desc, id desc limit 1) k on true)`;
}

/**
 * Selects records with status $6 and recipient $7 ('' for any) and with all words of $8, created from $4 on and before
 * $5: the page after $11 of those after the place ($9, $10). No index holds status and words, so that it reads at most
 * $12 records for the page, and as many to count.
 */
export function searchStatement(inList: string): string {
  const matches = `($2 = '' or t.action = $2) and ($6 = '' or t.shown_status = $6)
    and not exists (select from unnest($8::text[]) w where strpos(t.search_text, w) = 0)`;
  const candidates = `${LIVE.transactions} t where ${inList}`;
  return `select c.total, c.is_partial, e.*, p.*, ${selectValue('p')} as value from (
            select count(*) filter (where ${matches}) as total, count(*) > $12 as is_partial from (
              select t.action, t.shown_status, t.search_text, t.created_at from ${candidates} and t.created_at < $5
              ${NEWEST_FIRST} limit $12 + 1) t
            where t.created_at >= $4) c
          left join lateral (
            select t.created_at as end_at, t.id as end_id from ${candidates} and (t.created_at, t.id) < ($9, $10)
            ${NEWEST_FIRST} offset $12 - 1 limit 1) e on e.end_at >= $4
          left join lateral (
            select ${COLUMNS} from (
              select t.* from ${candidates} and (t.created_at, t.id) < ($9, $10) ${NEWEST_FIRST} limit $12) t
            where t.created_at >= $4 and ${matches} ${NEWEST_FIRST} offset $11 limit $3) p on true
          order by p.created_at desc, p.id desc`;
}
