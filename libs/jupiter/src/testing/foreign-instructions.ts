import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana/checks';
import { JUPITER_PROGRAM, LOOKUP_TABLE_PROGRAM, ORDER_ENGINE_PROGRAM, PROGRAM_AUTHORITIES } from '../programs.js';
import { OTHER_MINT, THIEF, tokenAccountOf, UNKNOWN_PROGRAM, walletOf } from './actors.js';
import { type DraftInstruction, payer, readonly, signer, writable } from './draft.js';
import { type BytePart, bytes, call, closing, creation, syncing, transfer } from './instructions.js';
import { type Scenario, SOL, swapOf } from './scenarios.js';
import { tradeAt } from './forgery.js';

const MOST = 2n ** 64n - 1n;

/** Other instructions of the aggregator: no trade, or a trade that is not read. */
const JUPITER_DISCRIMINATORS = {
  route: 'e517cb977ae3ad2a',
  route_with_token_ledger: '96564774a75d0e68',
  shared_accounts_route: 'c1209b3341d69c81',
  shared_accounts_route_with_token_ledger: 'e6798f50779f6aaa',
  exact_out_route: 'd033ef977b2bed5c',
  shared_accounts_exact_out_route: 'b0d169a89a7d453e',
  exact_out_route_v2: '9d8ab85215f4f324',
  shared_accounts_exact_out_route_v2: '3560e5cad8bbfa18',
  set_token_ledger: 'e455b9704e4f4d02',
  create_token_account: '93f17b64f484ae76',
  claim: '3ec6d6c1d59f6cd2',
  close_token: '1a4aec976840b7f9',
  event: 'e445a52e51cb9a1d',
};

/** Instructions that have no place in any swap. */
export function foreignInstructions(scenario: Scenario): Record<string, DraftInstruction> {
  const { wallet } = scenario.intent;
  const { inputMint, outputMint } = swapOf(scenario.intent);
  const trade = scenario.draft.instructions[tradeAt(scenario)]!;
  const [source, savings] = [inputMint, OTHER_MINT].map((mint) => tokenAccountOf(wallet, mint)) as [string, string];
  const otherForms = Object.entries(JUPITER_DISCRIMINATORS).map(([name, discriminator]) => [
    `the aggregator's ${name}`,
    call(JUPITER_PROGRAM, trade.accounts, Buffer.concat([bytes(discriminator), trade.data.subarray(8)])),
  ]);
  return {
    ...ofTokens(wallet, { source, savings, outputMint }),
    ...ofSystem(wallet),
    ...ofOthers(wallet),
    ...(Object.fromEntries(otherForms) as Record<string, DraftInstruction>),
    'the same trade': trade,
    'a fill': call(
      ORDER_ENGINE_PROGRAM,
      trade.accounts.slice(0, 11),
      bytes('a860b7a35c0a28a0', ['u64', 1], ['u64', 1], ['u64', MOST]),
    ),
  };
}

interface Accounts {
  readonly source: string;
  readonly savings: string;
  readonly outputMint: string;
}

function ofTokens(wallet: string, { source, savings, outputMint }: Accounts): Record<string, DraftInstruction> {
  const loot = tokenAccountOf(THIEF, OTHER_MINT);
  const by = (account: string, to: string, data: Buffer, program: string = TOKEN_PROGRAM) =>
    call(program, [writable(account), writable(to), signer(wallet)], data);
  const forBoth = (name: string, make: (program: string) => DraftInstruction) => ({
    [name]: make(TOKEN_PROGRAM),
    [`${name}, token-2022`]: make(TOKEN_2022_PROGRAM),
  });
  return {
    ...forBoth('a transfer of tokens', (program) => by(savings, loot, bytes('03', ['u64', 1]), program)),
    ...forBoth('a delegate', (program) => by(source, THIEF, bytes('04', ['u64', MOST]), program)),
    ...forBoth('another owner', (program) =>
      call(program, [writable(source), signer(wallet)], Buffer.from([6, 2, 1, ...Buffer.alloc(32, 9)])),
    ),
    ...forBoth('another closer', (program) =>
      call(program, [writable(source), signer(wallet)], Buffer.from([6, 3, 1, ...Buffer.alloc(32, 9)])),
    ),
    'a checked transfer': call(
      TOKEN_PROGRAM,
      [writable(savings), readonly(OTHER_MINT), writable(loot), signer(wallet)],
      bytes('0c', ['u64', 1], '06'),
    ),
    'a checked delegate': call(
      TOKEN_PROGRAM,
      [writable(source), readonly(OTHER_MINT), readonly(THIEF), signer(wallet)],
      bytes('0d', ['u64', MOST], '06'),
    ),
    'a burning': by(savings, OTHER_MINT, bytes('08', ['u64', 1])),
    'a minting': by(OTHER_MINT, loot, bytes('07', ['u64', MOST])),
    'the source closed to a thief': closing(source, THIEF, wallet),
    'another account closed to a thief': closing(savings, THIEF, wallet),
    'another account closed to the wallet': closing(savings, wallet, wallet),
    'another account synced': syncing(savings),
    'a frozen account': by(savings, OTHER_MINT, bytes('0a')),
    "a thief's account made at the wallet's expense": creation({
      payer: wallet,
      owner: THIEF,
      account: tokenAccountOf(THIEF, outputMint),
      mint: outputMint,
      tokenProgram: TOKEN_PROGRAM,
    }),
    "another token's account made": creation({
      payer: wallet,
      owner: wallet,
      account: savings,
      mint: OTHER_MINT,
      tokenProgram: TOKEN_PROGRAM,
    }),
    'a nested account recovered': call(
      ASSOCIATED_TOKEN_PROGRAM,
      [
        writable(savings),
        readonly(OTHER_MINT),
        writable(loot),
        readonly(source),
        readonly(OTHER_MINT),
        payer(wallet),
        readonly(TOKEN_PROGRAM),
      ],
      bytes('02'),
    ),
  };
}

function ofSystem(wallet: string): Record<string, DraftInstruction> {
  const [nonce, sysvar] = [walletOf('nonce'), 'SysvarRecentB1ockHashes11111111111111111111'];
  const system = (accounts: DraftInstruction['accounts'], ...data: readonly BytePart[]) =>
    call(SYSTEM_PROGRAM, accounts, bytes(...data));
  return {
    'SOL to a thief': transfer(wallet, THIEF, 1n),
    'SOL to a thief, as much as a tip': transfer(wallet, THIEF, 40_000n),
    'a tip beyond the bound': transfer(wallet, PROGRAM_AUTHORITIES[0]!, 40_001n),
    'another tip of one lamport': transfer(wallet, PROGRAM_AUTHORITIES[1]!, 1n),
    'SOL that is wrapped without need': transfer(wallet, tokenAccountOf(wallet, SOL), 1_000_000n),
    "SOL to the wallet's other account": transfer(wallet, tokenAccountOf(wallet, OTHER_MINT), 1n),
    'a nonce advanced': system([writable(nonce), readonly(sysvar), signer(wallet)], ['u32', 4]),
    'a nonce withdrawn': system(
      [writable(nonce), writable(THIEF), readonly(sysvar), signer(wallet)],
      ['u32', 5],
      ['u64', 1],
    ),
    'a nonce given away': system([writable(nonce), signer(wallet)], ['u32', 7], '09'.repeat(32)),
    'the wallet assigned to a program': system([payer(wallet)], ['u32', 1], '09'.repeat(32)),
    'space for the wallet': system([payer(wallet)], ['u32', 8], ['u64', 100]),
    'an account created': system(
      [payer(wallet), payer(walletOf('made'))],
      ['u32', 0],
      ['u64', 1],
      ['u64', 1],
      '09'.repeat(32),
    ),
    'a transfer with a seed': system([writable(THIEF), signer(wallet), writable(THIEF)], ['u32', 11], ['u64', 1]),
  };
}

function ofOthers(wallet: string): Record<string, DraftInstruction> {
  const budget = (...data: readonly BytePart[]) => call(COMPUTE_BUDGET_PROGRAM, [], bytes(...data));
  const signed = (program: string, ...data: readonly BytePart[]) =>
    call(program, [payer(wallet), writable(THIEF)], bytes(...data));
  return {
    'a memo': call(MEMO_PROGRAM, [], Buffer.from('memo')),
    'a signed memo': call(MEMO_PROGRAM, [signer(wallet)], Buffer.from('memo')),
    'an unknown program': signed(UNKNOWN_PROGRAM, '01'),
    'an unknown program without accounts': call(UNKNOWN_PROGRAM, [], bytes('01')),
    'a fill of RFQ v2': signed(
      'fd3nMFYTQjX1yr5ER8u7tPdHJB7qt8RpDpNtLQX2Br5',
      'ded006d19aa3365e',
      ['u8', 0],
      ['u64', 1],
    ),
    'a memory write of Lighthouse': signed('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95', '00'),
    'an assertion of Lighthouse': signed('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95', '05'),
    'a stake given away': signed('Stake11111111111111111111111111111111111111', ['u32', 1], '09'.repeat(32)),
    'a program given away': signed('BPFLoaderUpgradeab1e11111111111111111111111', ['u32', 4]),
    'a lookup table made': signed(LOOKUP_TABLE_PROGRAM, ['u32', 0], ['u64', 1], ['u8', 255]),
    'a vote': signed('Vote111111111111111111111111111111111111111', ['u32', 1]),
    'a signature check': call('Ed25519SigVerify111111111111111111111111111', [], bytes('0000')),
    'a second limit of compute units': budget('02', ['u32', 1_400_000]),
    'a second price of compute units': budget('03', ['u64', 10n ** 12n]),
    'a heap frame': budget('01', ['u32', 262_144]),
    'a limit of loaded accounts': budget('04', ['u32', 64]),
    'units and fee of the old kind': budget('00', ['u32', 1_400_000], ['u32', 1_000_000_000]),
    'a legacy router': signed('DF1ow4tspfHX9JwWJsAb9epbkA8hmpSEAtxXy1V27QBH', 'f8c69e91e17587c8'),
  };
}
