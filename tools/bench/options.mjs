// What the command line asks for.
import path from 'node:path';
import { parseArgs } from 'node:util';

/** The pairs that a median is taken of. */
const PAIRS = 5;
const QUICK_PAIRS = 2;

export const HELP = `Usage: npm run bench -- [benchmark …] [options]

Measures what the wallet costs against bare clients of the same parts, turn by turn in one run, and checks while it
does that nothing was lost, doubled or refused. All benchmarks unless some are named. Fails only when that is not so: an aim that is missed is printed.

  reservations   the policy's reservations against bare statements of the same Postgres
  transfers      CPU of a transfer, all processes and Postgres, against the sum of its bare parts
  latency        transfers at half load on slots of 400 ms against a bare @solana/web3.js client at the same pace
  trades         trades on slots of 400 ms against a bare client of the same aggregator at the same pace; CPU, and what
                 the check of the bytes costs
  buys           purchases of prediction contracts a second against the bare commits, chain and exchange calls that
                 they contain
  signer         a signature over mutual TLS against node:crypto and a bare gRPC call; at 1 000 and 10 000 keys with
                 nothing opened kept; keys made a second, and memory
  policy-read    GET /wallets/me/policy with policy stubbed against a bare Fastify with the same token check
  replay         a transfer again with its key against that bare Fastify with one indexed select
  browse         a page of markets that was asked for just before against the gateway's smallest route; calls to the
                 exchange
  balances       calls to chain and price API for 1, 10 and 50 tokens; latency against a bare client
  events         a backlog from outbox through Kafka to history against a bare producer, a bare consumer and COPY of the
                 same bytes; with the hash chain against without; needs Java 17
  event-lag      commit to visible in history at 500 events a second against a bare producer and consumer; needs Java 17
  history-pages  any page of an agent's history at 10 000 000 records against 10 000, with exact totals; count(*) and
                 OFFSET beside it
  api-profile    requests at the public API by k6 and between services by ghz: rates, latencies, and CPU by service, beside
                 bare servers; needs Go, which installs both
  start          cold and warm start until a transfer is confirmed, idle memory, against the bare parts side by side

  --quick        fewer and shorter rounds, to try it
  --json FILE    writes every figure as JSON
  --profile DIR  writes a CPU profile of what is measured, and prints its top functions
                 (transfers, trades, buys, policy-read, replay, browse, events; not of the signer, which opens no inspector)
  --help         this text

Absolute figures belong to the machine and to what else it does; the ratios hardly do.`;

/** The options; `problem` says what is wrong with them. */
export function readOptions(args, benchmarks) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        profile: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return { problem: error.message };
  }
  const { values, positionals } = parsed;
  const unknown = positionals.find((name) => !benchmarks.includes(name));
  if (unknown) return { problem: `There is no benchmark ${unknown}.` };
  return {
    help: values.help,
    benchmarks: benchmarks.filter((name) => positionals.length === 0 || positionals.includes(name)),
    pairs: values.quick ? QUICK_PAIRS : PAIRS,
    isQuick: values.quick,
    // Paths are relative to where the command was typed, even if npm changed the folder.
    jsonPath: values.json && path.resolve(process.env.INIT_CWD ?? '.', values.json),
    profilePath: values.profile && path.resolve(process.env.INIT_CWD ?? '.', values.profile),
  };
}
