import fc from 'fast-check';
import { KNOWN_MINTS } from '../checks/check-mentioned-accounts.js';
import { SOME_2022_MINT, SPONSOR } from './actors.js';
import { compile } from './draft.js';
import { type Order, scenario, SOL } from './scenarios.js';
import type { SwapCase } from './swap-case.js';

const MAX_TRANSACTION_BYTES = 1232;
const U64 = 2n ** 64n - 1n;

const orderWith = (sponsor: string) =>
  fc
    .record({
      from: fc.constantFrom(...KNOWN_MINTS),
      to: fc.constantFrom(...KNOWN_MINTS, SOME_2022_MINT),
      form: fc.constantFrom('route_v2' as const, 'shared_accounts_route_v2' as const, 'fill' as const),
      legs: fc.integer({ min: 1, max: 3 }),
      withTables: fc.boolean(),
      isNewAccount: fc.boolean(),
      isSponsored: fc.boolean(),
      tip: fc.option(fc.bigInt({ min: 1n, max: 75_000n })),
      platformFeeBps: fc.nat({ max: 255 }),
      namesReceiver: fc.boolean(),
      input: fc.bigInt({ min: 1n, max: U64 }),
      quoted: fc.bigInt({ min: 2n, max: U64 }),
      slippageBps: fc.nat({ max: 5_000 }),
    })
    .filter(({ from, to, form }) => from !== to && !(form === 'fill' && to === SOME_2022_MINT))
    .map(({ tip, form, isNewAccount, isSponsored, ...rest }): Order => {
      const sponsorship = isSponsored && form !== 'fill' && rest.to === SOL ? { sponsor } : {};
      const name = [
        ...[form, rest.from === SOL ? 'native in' : '', rest.to === SOL ? 'native out' : ''],
        'sponsor' in sponsorship ? 'sponsored' : '',
      ]
        .filter(Boolean)
        .join();
      if (form !== 'fill')
        return { name, form, isNewAccount, ...sponsorship, ...rest, ...(tip === null ? {} : { tip }) };
      const { withTables: _withTables, ...fill } = rest;
      return { ...fill, name, form, isNewAccount: isNewAccount && rest.to !== SOL, slippageBps: 0, platformFeeBps: 0 };
    });

/** Generates every trade that a wallet may be permitted: every form, with every number that it may have. */
export function randomSwaps(wallet: string, sponsor = SPONSOR): fc.Arbitrary<SwapCase> {
  return orderWith(sponsor)
    .map((each) => {
      const { name, intent, draft } = scenario(wallet, each);
      return { scenario: name, name, intent, ...compile(draft) };
    })
    .filter(({ message, intent: { action, sponsor } }) => {
      const hasCosigner = action?.$case === 'swap' && action.value.cosigner !== undefined;
      const signatures = hasCosigner || sponsor !== undefined ? 2 : 1;
      return message.length + 1 + signatures * 64 <= MAX_TRANSACTION_BYTES;
    });
}
