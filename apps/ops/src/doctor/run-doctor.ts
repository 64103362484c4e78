import { type Clock, systemClock } from '@agent-wallet/kernel';
import { type Environment, SettingsError } from '@agent-wallet/platform';
import { parseArgs } from 'node:util';
import { UsageError } from '../command-line.js';
import { type Print, toJsonText } from '../print.js';
import { standaloneEnvironment } from '../settings.js';
import { BROKER_CHECKS } from './broker.js';
import { CERTIFICATE_CHECKS } from './certificates.js';
import type { Check, CheckResult } from './check.js';
import { DATABASE_CHECKS } from './database.js';
import { examine } from './examine.js';
import { EXCHANGE_CHECKS } from './exchange.js';
import { MAIL_CHECKS } from './mail.js';
import { misspeltCheck } from './misspelt.js';
import { NODE_CHECKS } from './node.js';
import { PRICE_CHECKS } from './prices.js';
import { PROXY_CHECKS } from './proxy.js';
import { SERVICE_CHECKS } from './services.js';
import { severalNodesChecks } from './several-nodes.js';
import { WALLET_CHECKS } from './wallets.js';

const HELP = `Usage: npm run doctor -- [options]

Checks a deployment: nodes, certificates, services, the operator's wallets, prices, database, mail, exchange, event stream,
proxy and settings. Says for each thing ok, warn or fail, and what to do. It changes nothing and sends no mail, order or transaction.

  --url URL   the gateway's public URL (default: PUBLIC_URL)
  --json      prints one JSON document
  --help      this text

It reads the environment variables of the services. What is not set is not checked, and is listed as skipped. Without
POLICY_ADDRESS it also reads the services of the deployment in DATA_DIR (default .data). Of a URL only the origin is printed.
Exit codes: 0 all ok or warn, 1 at least one fail, 2 wrong command line.`;

const checksOf = (environment: Environment): readonly Check[] => [
  ...NODE_CHECKS,
  ...severalNodesChecks(environment),
  ...CERTIFICATE_CHECKS,
  ...SERVICE_CHECKS,
  ...WALLET_CHECKS,
  ...PRICE_CHECKS,
  ...DATABASE_CHECKS,
  ...MAIL_CHECKS,
  ...EXCHANGE_CHECKS,
  ...BROKER_CHECKS,
  ...PROXY_CHECKS,
];

/** Runs one command line. @returns the exit code: 0 all ok or warn, 1 at least one fail, 2 wrong command line */
export async function runDoctor(
  args: readonly string[],
  environment: Environment,
  print: Print,
  clock: Clock = systemClock,
): Promise<number> {
  const wantsJson = args.includes('--json');
  try {
    const { help, url } = readInput(args);
    if (help) {
      print(HELP);
      return 0;
    }
    const all = { ...(await withStandalone(environment)), ...(url && { PUBLIC_URL: url }) };
    const checks = checksOf(all);
    const results = await examine([...checks, misspeltCheck(checks)], { environment: all, clock });
    const counts = countsOf(results);
    if (wantsJson) print(toJsonText({ checks: results, counts }));
    else linesOf(results, counts).forEach((line) => print(line));
    return counts.fail > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(wantsJson ? toJsonText({ error: { code: 'USAGE', message: error.message } }) : `${error.message}\n\n${HELP}`);
    return 2;
  }
}

function readInput(args: readonly string[]): { readonly help: boolean; readonly url: string | undefined } {
  const flag = { type: 'boolean' } as const;
  const { help = false, url } = parse(() =>
    parseArgs({
      args: [...args],
      options: { url: { type: 'string' }, json: flag, help: { ...flag, short: 'h' } },
    }),
  ).values;
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError('--url takes a URL that starts with https:// or http://.');
  return { help, url };
}

function parse<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Adds the services of the standalone deployment, where there is one and the environment names none. */
async function withStandalone(environment: Environment): Promise<Environment> {
  if (environment['POLICY_ADDRESS']) return environment;
  try {
    return { ...(await standaloneEnvironment(environment['DATA_DIR'] || '.data')), ...environment };
  } catch (error) {
    if (error instanceof SettingsError) return environment;
    throw error;
  }
}

type Counts = Record<CheckResult['status'], number>;

function countsOf(results: readonly CheckResult[]): Counts {
  const counts: Counts = { ok: 0, warn: 0, fail: 0, skipped: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

function linesOf(results: readonly CheckResult[], counts: Counts): string[] {
  const width = Math.max(...results.map(({ area, name }) => `${area}: ${name}`.length));
  const lines = results.flatMap(({ area, name, status, found, advice }) => [
    `${status.padEnd(7)}  ${`${area}: ${name}`.padEnd(width)}  ${found}`,
    ...(advice === null ? [] : [`         ${advice}`]),
  ]);
  const sums = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return [...lines, '', sums.join(', ')];
}
