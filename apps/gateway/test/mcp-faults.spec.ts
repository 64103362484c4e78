import { eventually, propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Client } from './client.js';
import { CONFIRMED, SUBMITTED } from './default-script.js';
import { GENEROUS, walletDoes } from './wallet-script.js';
import { World } from './world.js';

const TRANSFER = { to: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', amount: '1.5', mint: 'USDC' };
/** Few, for a quick test; more at night. Set MCP_FAULT_RUNS=1000 to search longer. */
const RUNS = Number(process.env['MCP_FAULT_RUNS'] ?? propertyRuns(10));
const CALLS_AT_MOST = 6;
const CUT_WITHIN_MS = 12;
const MODERN = '2026-07-28';

let world: World;
let replicas: readonly Client[];

beforeAll(async () => {
  world = await World.open({ rateLimits: { ...GENEROUS, agentPerMinute: 1_000_000, clientPerMinute: 1_000_000 } });
  replicas = [world.client, world.client.at((await world.start()).url)];
});
afterAll(() => world.close());

/** A call of a tool, with its revision, its replica and its faults. */
const aCall = fc.record({
  isModern: fc.boolean(),
  replica: fc.nat(1),
  /** Milliseconds after which the connection breaks. */
  cutAfterMs: fc.option(fc.nat(CUT_WITHIN_MS), { freq: 2 }),
  requestState: fc.option(fc.string(), { freq: 4 }),
});

type Call = typeof aCall extends fc.Arbitrary<infer Value> ? Value : never;

const whole: Call = { isModern: true, replica: 0, cutAfterMs: null, requestState: null };

const aRun = fc.record({
  executions: fc.array(fc.tuple(fc.constantFrom('agent', 'agent', 'agent', 'stranger'), aCall), {
    minLength: 1,
    maxLength: CALLS_AT_MOST,
  }),
  /** Responses of the wallet service, in order; the last one stays. */
  wallet: fc.array(fc.constantFrom('confirmed', 'submitted', 'lost'), { minLength: 1, maxLength: 4 }),
});

let ids = 0;

/** Calls a tool as a host does, under an id of its own; undefined where the result was lost or refused. */
async function call(token: string, name: string, given: object, how: Call = whole): Promise<Result | undefined> {
  const { isModern, replica, cutAfterMs, requestState } = how;
  const meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
  const state = requestState === null ? {} : { requestState, inputResponses: {} };
  const params = { name, arguments: given, ...(isModern ? { _meta: meta, ...state } : {}) };
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': isModern ? MODERN : '2025-11-25',
    ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': name } : {}),
  };
  const body = { jsonrpc: '2.0', id: (ids += 1), method: 'tools/call', params };
  const cut = cutAfterMs === null ? {} : { signal: AbortSignal.timeout(cutAfterMs) };
  try {
    // A connection of its own: `fetch` keeps one that it opened for a call cut before it was sent, and a gateway that stops
    // waits for it.
    const reply = await replicas[replica]!.as(token).call('POST', '/mcp', { body, headers, ...cut });
    return readResult(reply.text);
  } catch (error) {
    if (cutAfterMs !== null) return undefined;
    throw error;
  }
}

interface Result {
  readonly isError: boolean;
  readonly data: { readonly handle?: string; readonly transactionId?: string; readonly code?: string };
}

/** Returns a tool's result of a body or of a stream; undefined for a JSON-RPC error. */
function readResult(text: string): Result | undefined {
  const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(json) as { result?: { isError?: boolean; content: [{ text: string }] } };
  return result && { isError: result.isError === true, data: JSON.parse(result.content[0].text) };
}

type Run = typeof aRun extends fc.Arbitrary<infer Value> ? Value : never;

describe('a payment by a host', () => {
  it(`happens once in ${RUNS} runs of broken connections, repeats under new ids, forged states and strangers`, async () => {
    const [agent, stranger] = [await world.login(), await world.login()];
    const tokens = { agent: agent.token, stranger: stranger.token };
    /** Operations of runs before, whose open outcomes the gateway goes on to ask for. */
    const earlier = new Set<string>();
    const payOnce = async ({ executions, wallet }: Run) => {
      // An operation that the wallet was asked for is an effect, whether or not its response arrived.
      const asked = walletDoes(world, [agent.agentId, stranger.agentId], async () => {
        const does = wallet[Math.min(asked.length, wallet.length) - 1];
        if (does === 'lost') throw new Error('the response was lost');
        return does === 'submitted' ? SUBMITTED : CONFIRMED;
      });
      const { handle } = (await call(agent.token, 'prepare_transfer', TRANSFER))!.data;
      const results = await Promise.all(
        executions.map(async ([who, how]) => ({
          who,
          result: await call(tokens[who as 'agent'], 'execute', { handle }, how),
        })),
      );
      const last = await eventually(
        async () => ({ who: 'agent', result: await call(agent.token, 'execute', { handle }) }),
        ({ result }) => result!.data.code !== 'IDEMPOTENCY_IN_PROGRESS',
      );
      const all = asked.map(({ operationId, agentId }) => `${agentId} ${operationId}`);
      const effects = new Set(all.filter((effect) => !earlier.has(effect)));
      expect(effects.size).toBe(1);
      all.forEach((effect) => earlier.add(effect));
      const shown = [...results, last].filter(({ result }) => result && !result.isError);
      for (const { who, result } of shown) {
        expect([who, [...effects]]).toEqual(['agent', [`${agent.agentId} ${result!.data.transactionId}`]]);
      }
    };
    await fc.assert(fc.asyncProperty(aRun, payOnce), { numRuns: RUNS });
  });
});
