import type { intentV1 } from '@agent-wallet/contracts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { type Liquidity, OTHER_MINT, THIEF } from './actors.js';

/** An intent that is not the one of its scenario's message. */
export interface ChangedIntent {
  readonly name: string;
  readonly intent: intentV1.Intent;
}

/** Intents that add or remove otherwise than a scenario's message does, or that make no sense. */
export function changedLiquidity(intent: intentV1.Intent, action: Liquidity): ChangedIntent[] {
  const { $case, value } = action;
  const pool = value.pool!;
  const changed = (name: string, other: object): ChangedIntent => ({
    name,
    intent: { ...intent, action: { $case, value: { ...value, ...other } } as Liquidity },
  });
  const { mint0, mint1, tokenProgram0, tokenProgram1, decimals0 } = pool;
  const pools: Array<[string, Partial<intentV1.LiquidityPool>]> = [
    ['another config', { config: THIEF.toBase58() }],
    ['no config', { config: '' }],
    ['another first mint', { mint0: '11111111111111111111111111111111' }],
    ['another second mint', { mint1: THIEF.toBase58() > mint0 ? THIEF.toBase58() : OTHER_MINT.toBase58() }],
    ['mints in the other order', { mint0: mint1, mint1: mint0 }],
    ['one mint twice', { mint1: mint0 }],
    ['a mint that is none', { mint0: 'not an address' }],
    ['the other program of the first mint', { tokenProgram0: otherProgram(tokenProgram0) }],
    ['the other program of the second mint', { tokenProgram1: otherProgram(tokenProgram1) }],
    ['an unknown program', { tokenProgram1: THIEF.toBase58() }],
    ['decimals beyond a byte', { decimals0: 256 }],
    ['decimals below 0', { decimals0: -1 - decimals0 }],
  ];
  const bound = $case === 'liquidityAdd' ? 'max' : 'min';
  const [bound0, bound1] = $case === 'liquidityAdd' ? [value.max0, value.max1] : [value.min0, value.min1];
  return [
    changed('no pool', { pool: undefined }),
    ...pools.map(([name, other]) => changed(name, { pool: { ...pool, ...other } })),
    ...[0n, -1n, 2n ** 64n, value.liquidity + 1n].map((liquidity) => changed(`liquidity ${liquidity}`, { liquidity })),
    ...[0n, -1n, 2n ** 64n].flatMap((quoted) => [
      changed(`quoted0 ${quoted}`, { quoted0: quoted }),
      changed(`quoted1 ${quoted}`, { quoted1: quoted }),
    ]),
    ...[0, -1, 1_001, 0.5].map((slippageBps) => changed(`slippageBps ${slippageBps}`, { slippageBps })),
    ...[bound0 + 1n, bound0 - 1n, 0n, 2n ** 64n].map((other) =>
      changed(`${bound}0 ${other}`, { [`${bound}0`]: other }),
    ),
    ...[bound1 + 1n, bound1 - 1n, 0n, 2n ** 64n].map((other) =>
      changed(`${bound}1 ${other}`, { [`${bound}1`]: other }),
    ),
    changed('bounds in each other’s place', { [`${bound}0`]: bound1, [`${bound}1`]: bound0 }),
    { name: 'the other way', intent: { ...intent, action: otherWay(action) } },
  ];
}

function otherProgram(program: string): string {
  return program === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
}

function otherWay(action: Liquidity): Liquidity {
  if (action.$case === 'liquidityAdd') {
    const { max0, max1, ...rest } = action.value;
    return { $case: 'liquidityRemove', value: { ...rest, min0: max0, min1: max1 } };
  }
  const { min0, min1, ...rest } = action.value;
  return { $case: 'liquidityAdd', value: { ...rest, max0: min0, max1: min1 } };
}
