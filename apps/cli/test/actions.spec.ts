import type { ActionName } from '@agent-wallet/sdk/tools';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { failed } from './scripted-api.js';
import { ScriptedProgram } from './scripted-program.js';

const TO = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';

/** The command of every action; undefined where there is none on purpose. A missing action does not compile. */
const COMMANDS: Readonly<Record<ActionName, readonly string[] | undefined>> = {
  transfer: ['send', '1', 'USDC', TO],
  trade: ['trade', '1', 'SOL', 'USDC'],
  unwrap_sol: ['unwrap'],
  add_liquidity: ['liquidity', 'add', 'POOL', '1', 'USDC'],
  remove_liquidity: ['liquidity', 'remove', 'POSITION', '50'],
  buy_contracts: ['buy', 'MARKET', 'yes', '1'],
  sell_contracts: ['sell', 'MARKET', 'yes', '1'],
  withdraw_prediction_balance: ['withdraw', '1.5'],
};

let program: ScriptedProgram;
beforeAll(async () => {
  program = await ScriptedProgram.start('01938f70-0000-7000-8000-000000000001');
});
afterAll(() => program.stop());

it('every action with a command requests a route of its own, under a key', async () => {
  const commands = Object.values(COMMANDS).filter((command) => command !== undefined);
  program.api.script(() => failed(403, 'POLICY_VIOLATION'));
  for (const command of commands) await program.runHere(...command);
  const acted = program.api.requests.filter(({ headers }) => headers['idempotency-key'] !== undefined);
  expect(new Set(acted.map(({ path }) => path)).size).toBe(commands.length);
});
