import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ActionName, TOOLS } from '../src/generated/tools.js';
import { AgentWallet, MemoryStore } from '../src/index.js';
import { ScriptedService, success, tokenOf } from './scripted-service.js';

const DONE = {
  transactionId: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f',
  transactionStatus: 'confirmed',
  status: 'confirmed',
};
const TRANSFER = { to: 'RECIPIENT', amount: '1' };
const TRADE = { from: 'SOL', to: 'USDC', amount: '1' };
const ADD = { pool: 'POOL', token: 'USDC', amount: '1' };
const REMOVE = { positionId: 'POOL', percent: 50 };
const CONTRACTS = { ticker: 'MARKET', side: 'yes', count: 1 } as const;

type Call = (wallet: AgentWallet) => Promise<unknown>;

/** The method of every action, and that of its dry run. An action without a method does not compile. */
const METHODS: Readonly<Record<ActionName, { readonly run: Call; readonly dryRun?: Call }>> = {
  transfer: { run: (wallet) => wallet.transfer(TRANSFER), dryRun: (wallet) => wallet.dryRun.transfer(TRANSFER) },
  trade: { run: (wallet) => wallet.trade(TRADE), dryRun: (wallet) => wallet.dryRun.trade(TRADE) },
  unwrap_sol: { run: (wallet) => wallet.unwrapSol(), dryRun: (wallet) => wallet.dryRun.unwrapSol() },
  add_liquidity: { run: (wallet) => wallet.liquidity.add(ADD), dryRun: (wallet) => wallet.dryRun.liquidity.add(ADD) },
  remove_liquidity: {
    run: (wallet) => wallet.liquidity.remove(REMOVE),
    dryRun: (wallet) => wallet.dryRun.liquidity.remove(REMOVE),
  },
  buy_contracts: {
    run: (wallet) => wallet.predictions.buy(CONTRACTS),
    dryRun: (wallet) => wallet.dryRun.predictions.buy(CONTRACTS),
  },
  sell_contracts: {
    run: (wallet) => wallet.predictions.sell(CONTRACTS),
    dryRun: (wallet) => wallet.dryRun.predictions.sell(CONTRACTS),
  },
  withdraw_prediction_balance: { run: (wallet) => wallet.predictions.withdraw('1.50') },
};

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

it.each(TOOLS.filter(({ movesMoney }) => movesMoney))(
  'the action $name has a method, and one for its dry run where it has one',
  async ({ name, path, query }) => {
    const { run, dryRun } = METHODS[name as ActionName];
    service.script(success(DONE));
    const wallet = new AgentWallet({ baseUrl: service.url, store: new MemoryStore() }, tokenOf('agent'));
    await run(wallet);
    await dryRun?.(wallet);
    const dryRuns = query.includes('dryRun') ? [`${path}?dryRun=true`] : [];
    expect(service.seen.map((seen) => `${seen.method} ${seen.path}`)).toEqual(
      [path, ...dryRuns].map((each) => `POST ${each}`),
    );
  },
);
