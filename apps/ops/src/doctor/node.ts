import { AppError, type SolanaNetwork } from '@agent-wallet/kernel';
import { setting } from '@agent-wallet/platform';
import {
  JsonRpcError,
  networkOf,
  openJsonRpc,
  openSolanaChain,
  type SolanaChain,
  webSocketUrlOf,
} from '@agent-wallet/solana';
import WebSocket from 'ws';
import { z } from 'zod';
import { type Check, type CheckContext, defineCheck, fail, type Finding, ok, originOf, warn } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';
import { describeFailure } from './secrets.js';

const SLOT_MS = 400;
const DAY_MS = 86_400_000;
/** A minute of slots: a message built on what the node says has little time left. */
const MOST_SLOTS_BEHIND = 150;
const CLOCK_WARN_MS = 10_000;
const CLOCK_FAIL_MS = 60_000;

const RPC = { SOLANA_RPC_URL: setting.url('http', 'https') };
const UNREACHABLE =
  'Check the URL of the node, its key and the way to it, or set another node (docs/runbooks/upstream-error-rate-high.md).';
const ANOTHER_NODE = 'Use another node, or wait until it has caught up (docs/runbooks/prices-unavailable.md).';

/** A node, opened for one check. */
interface Node {
  readonly rpc: ReturnType<typeof openJsonRpc>;
  readonly chain: SolanaChain;
}

/** Runs a check with the node at a URL, and closes the node after it. */
async function withNode(url: string, check: (node: Node) => Promise<Finding>): Promise<Finding> {
  const rpc = openJsonRpc({ url, timeoutMs: CHECK_LIMIT_MS });
  const chain = openSolanaChain({ rpcUrl: url, timeoutMs: CHECK_LIMIT_MS });
  try {
    return await check({ rpc, chain });
  } finally {
    rpc.close();
    chain.close();
  }
}

const network = defineCheck({
  name: 'network',
  area: 'node',
  settings: { ...RPC, SOLANA_NETWORK: setting.network() },
  advice: UNREACHABLE,
  run: ({ SOLANA_RPC_URL: url, SOLANA_NETWORK: expected }) => judgeNetwork(url, expected),
});

async function judgeNetwork(url: string, expected: SolanaNetwork): Promise<Finding> {
  const found = await networkOf(url, expected);
  if (found === expected) return ok(`${found}, at ${originOf(url)}`);
  return fail(
    `${originOf(url)} is ${found}, but SOLANA_NETWORK is ${expected}`,
    'Correct one of the two. Services do not start until they agree.',
  );
}

const health = defineCheck({
  name: 'health',
  area: 'node',
  settings: RPC,
  advice: UNREACHABLE,
  run: ({ SOLANA_RPC_URL: url }) => examineHealth(url),
});

function examineHealth(url: string): Promise<Finding> {
  return withNode(url, async ({ rpc }) => {
    try {
      await rpc.call('getHealth', [], (result) => z.literal('ok').parse(result));
      return ok('healthy');
    } catch (error) {
      return judgeHealth(error);
    }
  });
}

const BEHIND = z.object({ numSlotsBehind: z.int().positive() });

function judgeHealth(error: unknown): Finding {
  const cause = error instanceof AppError ? error.cause : undefined;
  if (!(cause instanceof JsonRpcError)) throw error;
  const slots = BEHIND.safeParse(cause.data).data?.numSlotsBehind;
  if (slots === undefined) return fail(`unhealthy: ${cause.message}`, ANOTHER_NODE);
  return (slots > MOST_SLOTS_BEHIND ? fail : warn)(`${slots} slots behind its cluster`, ANOTHER_NODE);
}

const history = defineCheck({
  name: 'history',
  area: 'node',
  settings: RPC,
  advice: UNREACHABLE,
  run: ({ SOLANA_RPC_URL: url }) => judgeHistory(url),
});

function judgeHistory(url: string): Promise<Finding> {
  return withNode(url, async ({ rpc, chain }) => {
    const [first, { slot }] = await Promise.all([
      rpc.call('getFirstAvailableBlock', [], (result) => z.int().min(0).parse(result)),
      chain.confirmedHead(),
    ]);
    if (first <= 1) return ok('keeps every block since the first');
    const hours = Math.floor(((slot - first) * SLOT_MS) / 3_600_000);
    if (hours * 3_600_000 >= DAY_MS) return ok(`keeps blocks of about ${hours} hours`);
    return warn(
      `keeps blocks of about ${hours} hours`,
      'Use a node that keeps a day or more: a restore and a long outage read old transactions from it.',
    );
  });
}

const clock = defineCheck({
  name: 'clock',
  area: 'node',
  settings: RPC,
  advice: UNREACHABLE,
  run: ({ SOLANA_RPC_URL: url }, context) => judgeClock(url, context),
});

function judgeClock(url: string, context: CheckContext): Promise<Finding> {
  return withNode(url, async ({ chain }) => {
    const { blockTimeMs } = await chain.head();
    const aheadMs = context.clock.nowMs() - blockTimeMs;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    const found = `this machine is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the newest block`;
    const advice =
      'Check the time of this machine, then whether the node lags. Prices count as stale when the two differ ' +
      '(docs/runbooks/prices-unavailable.md).';
    if (Math.abs(aheadMs) > CLOCK_FAIL_MS) return fail(found, advice);
    return Math.abs(aheadMs) > CLOCK_WARN_MS ? warn(found, advice) : ok(found);
  });
}

const webSocket = defineCheck({
  name: 'websocket',
  area: 'node',
  settings: { ...RPC, SOLANA_WS_URL: setting.url('ws', 'wss').optional() },
  advice: 'Check SOLANA_WS_URL and its key. Without it services poll the node, and outcomes come later.',
  async run({ SOLANA_RPC_URL: rpcUrl, SOLANA_WS_URL: wsUrl = webSocketUrlOf(rpcUrl) }) {
    const socket = new WebSocket(wsUrl, { handshakeTimeout: CHECK_LIMIT_MS - 500 });
    try {
      await new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.on('error', reject);
      });
    } finally {
      socket.terminate();
    }
    return ok(`opens at ${originOf(wsUrl)}`);
  },
});

/** Checks of the node that the deployment reads and sends through. */
export const NODE_CHECKS: readonly Check[] = [network, health, history, clock, webSocket];

/** Returns all findings about a node but that of its WebSocket; its network counts only where one is expected. */
export async function examineNode(
  url: string,
  expected: SolanaNetwork | undefined,
  context: CheckContext,
): Promise<Finding[]> {
  const findings = [
    ...(expected ? [judgeNetwork(url, expected)] : []),
    ...[examineHealth(url), judgeHistory(url), judgeClock(url, context)],
  ];
  return Promise.all(findings.map((each) => each.catch((error) => fail(describeFailure(error), UNREACHABLE))));
}
