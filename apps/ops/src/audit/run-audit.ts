import {
  type AuditRecord,
  type ChainCause,
  type Finding,
  LogVerifier,
  type OwnerFinding,
  OwnerSignatures,
  type PageCause,
  type ProofPages,
  type StoredBatch,
  type StoredCheckpoint,
  type Verdict,
} from '@agent-wallet/audit';
import { type Environment, readSettings, setting } from '@agent-wallet/platform';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readDatabase } from '../adapters/read-database.js';
import type { Print } from '../print.js';
import { lineOf, readLines, readPages } from './files.js';
import { reasonOf } from './reasons.js';

const HELP = `Usage: npm run audit:verify -- [options] [PAGE.json …]

Checks the audit log from its bytes alone: every event, the chain of each agent, the chain of the log, and what was signed,
also by owners with their passkeys (not in pages, which lack the owners' own events). It names what needs an owner's signature
and has none: a loosened policy, a new owner, the end of an owner's freeze.
It reads history's schema in DATABASE_URL (a role that may read it is enough), or an export, or pages of
GET /wallets/me/history/proof, a file each, in their order. Nothing else is asked.

  --from FILE               reads an export instead of the database
  --export FILE             writes what was read as an export: NDJSON, bytes in base64
  --key BASE58              the only key that checkpoints may be signed with; without it any key is believed
  --owner-origin ORIGIN     the only console that owners may have signed at; without it any is believed
  --checkpoints FILE        checkpoints that were saved earlier: what they cover must still be as it was
  --save-checkpoints FILE   saves those that were read; keep them where the operator of the database cannot reach them
  --schema NAME             history's schema (default: history)

It ends with 0 when all is as it was written, 1 when something is not (the first record that is wrong is named first), and 2
when it could not be checked. It cannot see an event that never reached history; see docs/audit.md.`;

const MAX_PRINTED = 20;

/** Carries out one command line. @returns the exit code: 0 all well, 1 something is wrong, 2 not checked */
export async function runAudit(
  args: readonly string[],
  environment: Environment | undefined,
  print: Print,
): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.values.help) {
      print(HELP);
      return 0;
    }
    const verdict = await verify(options, environment);
    report(verdict, print);
    return verdict.findings.length > 0 ? 1 : 0;
  } catch (error) {
    print(`Not checked: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const files = { from: text, export: text, checkpoints: text, 'save-checkpoints': text };
  const options = {
    ...files,
    key: text,
    'owner-origin': text,
    schema: text,
    help: { type: 'boolean', short: 'h' },
  } as const;
  return parseArgs({ args: [...args], allowPositionals: true, options });
}

function sourceOf(
  { values }: Options,
  environment: Environment | undefined,
  pages: ProofPages | undefined,
): Iterable<AuditRecord> | AsyncIterable<AuditRecord> {
  if (pages) return [...pages.checkpoints, ...pages.events];
  if (values.from) return readLines(values.from);
  const { DATABASE_URL } = readSettings({ DATABASE_URL: setting.postgres() }, environment);
  return readDatabase(DATABASE_URL, values.schema ?? 'history');
}

type AnyFinding = Finding<ChainCause | PageCause> | OwnerFinding;
type WholeVerdict = Omit<Verdict, 'findings'> & { readonly [List in 'findings' | 'explained']: readonly AnyFinding[] };

/** Verifies a log. In every source the records beside the events come first. */
async function verify(options: Options, environment: Environment | undefined): Promise<WholeVerdict> {
  const { values, positionals } = options;
  const [batches, checkpoints]: [StoredBatch[], StoredCheckpoint[]] = [[], []];
  if (values.checkpoints) {
    for await (const saved of readLines(values.checkpoints)) if (saved.kind === 'checkpoint') checkpoints.push(saved);
  }
  const saved = checkpoints.length;
  const pages = positionals.length > 0 ? await readPages(positionals) : undefined;
  const signatures = new OwnerSignatures(values['owner-origin']);
  let verifier: LogVerifier | undefined;
  const start = () => LogVerifier.create({ batches: pages ? undefined : batches, checkpoints, keyId: values.key });
  const out = values.export ? createWriteStream(values.export) : undefined;
  for await (const record of sourceOf(options, environment, pages)) {
    if (out && !out.write(`${lineOf(record)}\n`)) await once(out, 'drain');
    if (record.kind === 'event') {
      (verifier ??= await start()).add(record);
      if (!pages) signatures.add(record);
    }
    if (record.kind === 'batch') batches.push(record);
    if (record.kind === 'checkpoint') checkpoints.push(record);
  }
  if (out) await new Promise<void>((resolve) => out.end(resolve));
  const read = checkpoints.slice(saved).map((checkpoint) => `${lineOf(checkpoint)}\n`);
  if (values['save-checkpoints']) await writeFile(values['save-checkpoints'], read.join(''));
  const verdict = (verifier ?? (await start())).finish();
  const { findings, explained, unverified } = await signatures.finish();
  if (verdict.unverified + unverified.length > 0)
    throw new Error('This Node.js lacks Ed25519. Use Node.js 20.19 or later.');
  return { ...verdict, findings: [...(pages?.findings ?? []), ...verdict.findings, ...findings], explained };
}

function report({ events, agents, checkpoints, unsigned, findings, explained }: WholeVerdict, print: Print): void {
  printFirst(findings.map(sentenceOf), print);
  printFirst(
    explained.map((finding) => `After a recovery, which may have forgotten the owner: ${sentenceOf(finding)}`),
    print,
  );
  const verdict = findings.length > 0 ? 'NOT AS IT WAS WRITTEN' : 'as it was written';
  print(
    `${verdict}: ${events} events of ${agents} agents, ${checkpoints} checkpoints; ${unsigned} events are not signed yet`,
  );
}

function printFirst(lines: readonly string[], print: Print): void {
  lines.slice(0, MAX_PRINTED).forEach(print);
  if (lines.length > MAX_PRINTED) print(`… and ${lines.length - MAX_PRINTED} more`);
}

function sentenceOf({ problem, record, position, eventId, agentId, sequence, cause }: AnyFinding): string {
  const place = [
    position === undefined ? '' : `position ${position}`,
    eventId ? `event ${eventId}` : '',
    agentId ? `agent ${agentId}` : '',
    sequence === undefined ? '' : `number ${sequence}`,
  ];
  return `${problem.toUpperCase()} ${record}: ${place.filter(Boolean).join(', ')}: ${reasonOf(cause)}`;
}
