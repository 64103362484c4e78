import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const LOADER = new URL('suite-loader.mjs', import.meta.url).href;
const MANIFEST = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const PROGRAM = path.join(path.dirname(MANIFEST), 'dist/index.js');

/** Revision of MCP, by the name of its list of requirements. */
export type Revision = '2025-11-25' | '2026-07-28';

/** Run of the suite. */
export interface SuiteRun {
  readonly code: number | null;
  /** Lines that the suite printed. */
  readonly output: string;
  /** Scenarios that the revision requires of a server. */
  readonly required: readonly string[];
  /** Statuses of the checks of each scenario that ran. The suite runs more scenarios than are required. */
  readonly checks: ReadonlyMap<string, readonly Status[]>;
}

/** Result of a check. */
type Status = 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';

/** Runs the scenarios that a revision requires, against a server. */
export async function runSuite(url: string, revision: Revision, expectedFailures?: string): Promise<SuiteRun> {
  const results = mkdtempSync(path.join(os.tmpdir(), 'mcp-conformance-'));
  const args = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
  if (expectedFailures) args.push('--expected-failures', fileURLToPath(new URL(expectedFailures, import.meta.url)));
  try {
    const { code, output } = await run(args);
    return { code, output, required: readRequired(revision), checks: readChecks(results) };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

async function run(args: readonly string[]): Promise<Pick<SuiteRun, 'code' | 'output'>> {
  const child = spawn(process.execPath, ['--import', LOADER, PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output: Buffer.concat(chunks).toString() };
}

function readRequired(revision: Revision): readonly string[] {
  const file = path.join(path.dirname(MANIFEST), 'requirements', `${revision}.yaml`);
  return (parse(readFileSync(file, 'utf8')) as { readonly server: readonly string[] }).server;
}

/** Reads the results. Each scenario has a folder, whose name ends with the time. */
function readChecks(results: string): SuiteRun['checks'] {
  return new Map(
    readdirSync(results).map((folder) => {
      const checks = JSON.parse(readFileSync(path.join(results, folder, 'checks.json'), 'utf8')) as ReadonlyArray<{
        readonly status: Status;
      }>;
      return [/^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder)![1]!, checks.map(({ status }) => status)];
    }),
  );
}

/** Reports whether a scenario passed: some check succeeded, and none has a failure or a warning. */
export function isPassed({ checks }: Pick<SuiteRun, 'checks'>, scenario: string): boolean {
  const statuses = checks.get(scenario) ?? [];
  return statuses.includes('SUCCESS') && !statuses.includes('FAILURE') && !statuses.includes('WARNING');
}
