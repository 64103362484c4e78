/*
 * What a migration may not do. The previous release still runs on the schema during the migration and for a while
 * after, and must not wait for it. What has to go is unused in one release and dropped by a later one.
 */

/** A statement that breaks a rule. */
export interface Violation {
  readonly rule: string;
  /** The statement's beginning. */
  readonly statement: string;
}

interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  /** Which group names the table, where a table that the same migration makes may be treated so. */
  readonly table?: number;
}

const NAME = String.raw`(?:if (?:not )?exists )?(?:only )?"?(?:\w+\.)?(\w+)"?`;

const RULES: readonly Rule[] = [
  {
    name: 'drops what old code uses',
    pattern: new RegExp(`^drop (?:table|view|materialized view|sequence) ${NAME}`),
    table: 1,
  },
  { name: 'drops what old code uses', pattern: /^drop (?:function|procedure|type|domain|schema|trigger|index)\b/ },
  {
    name: 'drops a column that old code uses',
    pattern: new RegExp(
      `^alter table ${NAME} .*\\bdrop (?:column )?(?!constraint|default|not null|expression|identity)\\w`,
    ),
    table: 1,
  },
  { name: 'renames what old code uses', pattern: new RegExp(`^alter table ${NAME} .*\\brename\\b`), table: 1 },
  { name: 'renames what old code uses', pattern: /^alter (?:function|type|schema|sequence|view|index)\b.*\brename\b/ },
  {
    name: 'changes a type, which rewrites the table',
    pattern: new RegExp(`^alter table ${NAME} .*\\balter (?:column )?\\w+ (?:set data )?type\\b`),
    table: 1,
  },
  {
    name: 'asks for what old code does not write',
    pattern: new RegExp(`^alter table ${NAME} .*\\bset not null\\b`),
    table: 1,
  },
  {
    name: 'asks for what old code does not write',
    pattern: new RegExp(
      `^alter table ${NAME} .*\\badd (?:column )?(?:if not exists )?(?!constraint|check|foreign|primary|unique)\\w+ (?:(?!\\bdefault\\b|\\bgenerated\\b|,).)*\\bnot null\\b(?!(?:(?!,).)*\\b(?:default|generated)\\b)`,
    ),
    table: 1,
  },
  {
    name: 'computes a default for every row',
    pattern: new RegExp(
      `^alter table ${NAME} .*\\badd (?:column )?(?:if not exists )?\\w+ (?:(?!,).)*\\bdefault (?:\\w+\\(|current_)`,
    ),
    table: 1,
  },
  {
    name: 'holds rows of old code against a new rule',
    pattern: new RegExp(
      `^alter table ${NAME} .*\\badd (?:constraint \\w+ )?(?:check|foreign key|unique|primary key|exclude)\\b(?!.*\\bnot valid\\b)`,
    ),
    table: 1,
  },
  {
    name: 'makes an index while writers wait',
    pattern: new RegExp(`^create (?:unique )?index (?!if not exists)\\w+ on ${NAME}`),
    table: 1,
  },
  {
    name: 'changes what old code does',
    pattern: new RegExp(`^create (?:or replace )?(?:constraint )?trigger .*\\bon ${NAME}`),
    table: 1,
  },
  { name: 'writes all rows while others wait', pattern: new RegExp(`^(?:update|delete from) ${NAME}`), table: 1 },
  {
    name: 'empties or locks a table',
    pattern: new RegExp(`^(?:truncate(?: table)?|lock(?: table)?) ${NAME}`),
    table: 1,
  },
  { name: 'takes a right away', pattern: new RegExp(`^revoke .*? on (?:function |table )?${NAME}`), table: 1 },
];

/** What a file of functions may say: all of it runs again when one of them changes, beside old code and without data. */
const OF_FUNCTIONS: readonly RegExp[] = [/^create or replace function\b/, /^(?:grant|revoke) .* on function\b/];

/** The statements of a file of functions that are about something else. */
export function foreignToFunctions(sql: string): string[] {
  return statementsOf(sql).filter((statement) => !OF_FUNCTIONS.some((pattern) => pattern.test(statement)));
}

/** The statements of a file of triggers that are about something else than triggers of its table. */
export function foreignToTriggers(table: string, sql: string): string[] {
  const allowed = [
    new RegExp(`^create (?:constraint )?trigger \\w+ (?:before|after) .* on ${table}\\b`),
    new RegExp(`^alter table ${table} enable always trigger \\w+$`),
  ];
  return statementsOf(sql).filter((statement) => !allowed.some((pattern) => pattern.test(statement)));
}

/** The statements of a migration that would break the previous release, or block it for too long. */
export function violationsOf(sql: string): Violation[] {
  const statements = statementsOf(sql);
  const made = new Set(
    statements.flatMap(
      (statement) => new RegExp(`^create (?:(?:unlogged )?table|function) ${NAME}`).exec(statement)?.[1] ?? [],
    ),
  );
  return statements.flatMap((statement) => {
    const broken = RULES.filter(({ pattern, table }) => {
      const match = pattern.exec(statement);
      return match !== null && !(table !== undefined && made.has(match[table]!));
    });
    return [...new Set(broken.map(({ name }) => name))].map((rule) => ({ rule, statement: statement.slice(0, 90) }));
  });
}

/** In lower case on one line each, without comments, and without what stands in quotes and in bodies of functions. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g, (quoted) =>
      quoted.startsWith('$') || quoted.startsWith("'") ? "''" : ' ',
    )
    .toLowerCase()
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
