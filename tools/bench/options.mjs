// What the command line asks for.
import path from 'node:path';
import { parseArgs } from 'node:util';

/** Each is the module beside this one with that name. */
export const BENCHMARKS =
  'reservations transfers latency nodes trades buys signer events streams followed history size deposits shares start console'.split(
    ' ',
  );

/** What can be measured of another commit, too: against/against.mjs. */
const COMPARABLE = ['transfers', 'trades', 'latency', 'start'];

/** The pairs that a median is taken of. */
const PAIRS = 5;
const QUICK_PAIRS = 2;

export const HELP = `Usage: npm run bench -- [benchmark …] [options]

Measures what the wallet costs, and checks while it does that nothing was lost, doubled or refused. Where there is a
bare client of the same parts, both take turns in one run, and the ratio counts. All benchmarks unless some are named.
Fails only when a check fails: an aim that is missed is printed.

  reservations   the policy's reservations against bare statements of the same Postgres
  transfers      CPU of a transfer, services and Postgres, against its bare parts in turn (HTTP, gRPC, SQL, events,
                 cryptography), and by process; how many a second
  latency        transfers at half load on slots of 400 ms against a bare @solana/web3.js client at the same timing
  nodes          the same transfers with three nodes, of which a majority must agree, against one
  trades         trades on slots of 400 ms against a bare client of the same aggregator at the same timing
  buys           CPU of a purchase of prediction contracts by process; how many a second
  signer         a signature over mutual TLS against node:crypto and a bare gRPC call; at 1 000 and 10 000 keys with
                 nothing opened kept; keys made a second, and memory
  events         a backlog from outbox through Kafka to history: events a second, CPU by process; needs Java 17
  streams        2 000 open streams of events: memory and CPU of each while nothing happens, and while changes arrive
  followed       18 090 agents followed over two gateways, of which one is killed and one stopped: until all streams are
                 back, delay of a change, bytes between gateway and history, memory; each change is checked
  history        any page of an agent's history at 10 000 000 records against 10 000, with exact totals
  size           what loops and locks read at millions of rows of reservations, accounts and prepared requests, against
                 the statements that read whole tables; 1 000 000 rows each unless --rows says more
  deposits       how often each balance is polled for deposits, by the number of wallets and of calls in flight at a node
                 that answers in 100 ms
  shares         what one user can take from others: failures and latency of a victim alone and beside 1, 10 and 100
                 attackers, while every limit has its default; half an hour
  start          cold and warm start until a transfer is confirmed, idle memory, against the bare parts side by side
  console        from a navigation to a usable login form, the processor slowed down 4 times; needs Chromium

  --against COMMIT  this tree against that commit instead, in pairs: CPU of a transfer (transfers) and of a trade
                    (trades), latency on slots of 400 ms (latency), start and idle memory (start); all unless some are named. The commit is
                    checked out into a temporary folder, built there, and removed, also after Ctrl-C. Both sides are
                    started by their own npm scripts (start, processes) and asked by the public API alone
  --pairs N         pairs of rounds (default ${PAIRS}; with --quick ${QUICK_PAIRS})
  --scene NAME      of shares, this scene alone: login, eviction, trades, purchases, withdrawals or 'sponsored transfers'
  --rows N          of size, rows of each table (default 1000000); 20000000 or 30000000 for a large deployment
  --quick           fewer and shorter rounds, to try it
  --json FILE       writes every figure as JSON
  --help            this text

Absolute figures belong to the machine and to what else it does; the ratios hardly do.`;

/** The options; `problem` says what is wrong with them. */
export function readOptions(args, benchmarks) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        against: { type: 'string' },
        pairs: { type: 'string' },
        scene: { type: 'string' },
        rows: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return { problem: error.message };
  }
  const { values, positionals } = parsed;
  const known = values.against === undefined ? benchmarks : benchmarks.filter((name) => COMPARABLE.includes(name));
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown) {
    const where = values.against === undefined ? '' : ' that can be run against a commit';
    return { problem: `There is no benchmark ${unknown}${where}.` };
  }
  const pairs = Number(values.pairs ?? (values.quick ? QUICK_PAIRS : PAIRS));
  if (!Number.isInteger(pairs) || pairs < 1) return { problem: `--pairs must be a number from 1 on.` };
  const rows = values.rows === undefined ? undefined : Number(values.rows);
  if (rows !== undefined && !(Number.isInteger(rows) && rows > 0))
    return { problem: '--rows must be a number from 1 on.' };
  return {
    help: values.help,
    benchmarks: known.filter((name) => positionals.length === 0 || positionals.includes(name)),
    commit: values.against,
    pairs,
    scene: values.scene,
    rows,
    isQuick: values.quick,
    // A path is relative to where the command was typed, even if npm changed the folder.
    jsonPath: values.json && path.resolve(process.env.INIT_CWD ?? '.', values.json),
  };
}
