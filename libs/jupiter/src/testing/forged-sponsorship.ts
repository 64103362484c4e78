import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { PROGRAM_AUTHORITIES } from '../programs.js';
import { THIEF, tokenAccountOf } from './actors.js';
import { type DraftAccount, type DraftInstruction, payer, readonly, signer, writable } from './draft.js';
import { forge, type Forgery, tradeAt, withSwap } from './forgery.js';
import { bytes, call, closing, creation, transfer } from './instructions.js';
import { type Scenario, swapOf } from './scenarios.js';

/** Returns messages that take more of a sponsor, or give it more, than the network and the rent that comes back. */
export function forgedSponsorship(scenario: Scenario): Forgery[] {
  const { intent, draft } = scenario;
  const { wallet, sponsor } = intent;
  if (sponsor === undefined) return [];
  const { instructions } = draft;
  const at = tradeAt(scenario);
  const { inputMint, outputMint, returnedRentLamports, maxNetworkLamports } = swapOf(intent);
  const [source, wrapped] = [tokenAccountOf(wallet, inputMint), tokenAccountOf(wallet, outputMint)];
  const forgery = (name: string, changed: readonly DraftInstruction[]) =>
    forge(name, scenario, { instructions: changed });
  const before = (each: DraftInstruction) => instructions.toSpliced(at, 0, each);
  const end = (each: DraftInstruction) => [...instructions, each];
  const made = (change: Partial<Parameters<typeof creation>[0]>) =>
    creation({
      payer: sponsor,
      owner: wallet,
      account: wrapped,
      mint: outputMint,
      tokenProgram: TOKEN_PROGRAM,
      ...change,
    });
  const system = (accounts: readonly DraftAccount[], data: Buffer) => call(SYSTEM_PROGRAM, accounts, data);
  const closeAt = instructions.findIndex(({ program, data }) => program === TOKEN_PROGRAM && data[0] === 9);
  const lamports = returnedRentLamports ?? 2_039_280n;
  const always = [
    forgery(
      "the wallet's account of the input made by the sponsor",
      before(made({ account: source, mint: inputMint })),
    ),
    forgery(
      "a thief's account of the output made by the sponsor",
      before(made({ owner: THIEF, account: tokenAccountOf(THIEF, outputMint) })),
    ),
    forgery(
      "the sponsor's own account of the output made",
      before(made({ owner: sponsor, account: tokenAccountOf(sponsor, outputMint) })),
    ),
    forgery("the wallet's account made at the wallet's expense", before(made({ payer: wallet }))),
    forgery('wrapped SOL made after the trade by the sponsor', end(made({}))),
    forgery(
      'wrapped SOL made by the sponsor, and failing where it exists',
      before({ ...made({}), data: Buffer.of(0) }),
    ),
    forgery('wrapped SOL made by the sponsor, without data', before({ ...made({}), data: Buffer.alloc(0) })),
    forgery('nested tokens recovered by the sponsor', before({ ...made({}), data: Buffer.of(2) })),
    forgery('wrapped SOL is closed to the sponsor', instructions.with(closeAt, closing(wrapped, sponsor, wallet))),
    forgery('wrapped SOL is closed by the sponsor', instructions.with(closeAt, closing(wrapped, wallet, sponsor))),
    forgery("the wallet's input is closed to the sponsor", end(closing(source, sponsor, wallet))),
    forgery('the sponsor wraps SOL for the wallet', before(transfer(sponsor, wrapped, 1_000_000n))),
    forgery('the sponsor sends to itself', end(transfer(sponsor, sponsor, 0n))),
    forgery('nothing is sent to the sponsor', end(transfer(wallet, sponsor, 0n))),
    forgery(
      'the sponsor sends with a seed',
      end(
        system(
          [payer(sponsor), signer(sponsor), writable(THIEF)],
          bytes(['u32', 11], ['u64', 1], ['u64', 0], '00'.repeat(32)),
        ),
      ),
    ),
    forgery(
      'the sponsor makes an account for a thief',
      end(system([payer(sponsor), payer(wallet)], bytes(['u32', 0], ['u64', lamports], ['u64', 0], '00'.repeat(32)))),
    ),
    forgery('the sponsor is assigned to a program', end(system([payer(sponsor)], bytes(['u32', 1], '11'.repeat(32))))),
    forgery('the sponsor is allocated', end(system([payer(sponsor)], bytes(['u32', 8], ['u64', 80])))),
    forgery(
      'the sponsor funds its own nonce',
      end(system([payer(sponsor), writable(THIEF)], bytes(['u32', 5], ['u64', 1]))),
    ),
    forgery(
      'a tip that the sponsor pays to a token account of a receiver',
      end(transfer(sponsor, tokenAccountOf(PROGRAM_AUTHORITIES[0]!, outputMint), 1n)),
    ),
    forgery(
      'a tip with a third account',
      end({
        ...transfer(sponsor, PROGRAM_AUTHORITIES[0]!, 1n),
        accounts: [payer(sponsor), writable(PROGRAM_AUTHORITIES[0]!), readonly(THIEF)],
      }),
    ),
    forgery(
      'a tip with a longer amount',
      end({ ...transfer(sponsor, PROGRAM_AUTHORITIES[0]!, 1n), data: bytes(['u32', 2], ['u64', 1], '00') }),
    ),
    forgery(
      'a compute budget that names the sponsor',
      instructions.with(0, { ...instructions[0]!, accounts: [payer(sponsor)] }),
    ),
    forge(
      'a tip of what is left of u64',
      {
        ...scenario,
        intent: { ...withSwap(intent, { maxNetworkLamports: 2n ** 64n - 1n }), maxNetworkFeeLamports: 2n ** 64n - 1n },
      },
      {
        instructions: end(transfer(sponsor, PROGRAM_AUTHORITIES[0]!, 2n ** 64n - 1n)),
      },
    ),
    forge("a sponsor that is in a venue's table", scenario, {
      tables: new Map([...draft.tables, [THIEF, [sponsor]]]),
      instructions: instructions.with(at, {
        ...instructions[at]!,
        accounts: [...instructions[at]!.accounts, writable(sponsor)],
      }),
    }),
    forge('a wallet that pays, the sponsor second', scenario, { payer: wallet }),
  ];
  if (returnedRentLamports === undefined) {
    return [...always, forgery('rent returned for an account that is there', end(transfer(wallet, sponsor, lamports)))];
  }
  const returned = instructions.findIndex(
    ({ program, accounts }) => program === SYSTEM_PROGRAM && accounts[1]?.address === sponsor,
  );
  const made_ = instructions.findIndex(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM);
  const swapped = (one: number, other: number) =>
    instructions.with(one, instructions[other]!).with(other, instructions[one]!);
  const moved = (from: number, to: number) => {
    const each = instructions[from]!;
    return instructions.toSpliced(from, 1).toSpliced(to, 0, each);
  };
  return [
    ...always,
    forgery('the rent returned before the account is closed', swapped(closeAt, returned)),
    forgery('the rent returned before the trade', moved(returned, at)),
    forgery('the account made after the trade', moved(made_, at)),
    forgery(
      'the rent returned by the sponsor itself',
      instructions.with(returned, transfer(sponsor, sponsor, lamports)),
    ),
    forgery('the rent returned to the wallet', instructions.with(returned, transfer(wallet, wallet, lamports))),
    forgery(
      'the rent returned to a receiver of tips',
      instructions.with(returned, transfer(wallet, PROGRAM_AUTHORITIES[0]!, lamports)),
    ),
    forgery('the rent returned in two parts', [
      ...instructions.with(returned, transfer(wallet, sponsor, 1n)),
      transfer(wallet, sponsor, lamports - 1n),
    ]),
    forgery('the rent returned to wrapped SOL', instructions.with(returned, transfer(wallet, wrapped, lamports))),
    forgery(
      'the account made by the wallet, and the rent returned to the sponsor',
      instructions.with(made_, made({ payer: wallet })),
    ),
    forge(
      'rent that is the network fee',
      { ...scenario, intent: withSwap(intent, { returnedRentLamports: maxNetworkLamports }) },
      {},
    ),
  ];
}
