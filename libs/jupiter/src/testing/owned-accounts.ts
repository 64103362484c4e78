import type { ChainAccount } from '@agent-wallet/solana';
import { addressBytes, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { LOOKUP_TABLE_PROGRAM } from '../programs.js';
import { OTHER_MINT, THIEF, tokenAccountOf, walletOf } from './actors.js';

/** An account on chain that obeys the wallet, and that no trade has to do with. */
interface OwnedAccount {
  readonly name: string;
  readonly address: string;
  readonly account: ChainAccount;
}

const STAKE_PROGRAM = 'Stake11111111111111111111111111111111111111';
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const POSITION_MINT = walletOf('mint of a position');

const FROZEN = 2;
const IS_ACCOUNT = 2;
const IS_MINT = 1;

/** Lists the kinds of accounts that are a wallet's without standing in any list of tokens. */
export function ownedAccounts(wallet: string): OwnedAccount[] {
  const named = (name: string, account: ChainAccount, address = walletOf(`owned: ${name}`)) => ({
    ...{ name, address, account },
  });
  const byWallet = { owner: wallet };
  const byThief = { owner: THIEF };
  return [
    named('an associated account', tokens(byWallet), tokenAccountOf(wallet, OTHER_MINT)),
    named(
      'an associated account of token-2022',
      tokens2022(byWallet),
      tokenAccountOf(wallet, OTHER_MINT, TOKEN_2022_PROGRAM),
    ),
    named('another account', tokens(byWallet)),
    named('another account of token-2022', tokens2022(byWallet)),
    named('an empty account', tokens({ ...byWallet, amount: 0n })),
    named('a frozen account', tokens({ ...byWallet, state: FROZEN })),
    named('a frozen account of token-2022', tokens2022({ ...byWallet, state: FROZEN })),
    named('an account with a delegate', tokens({ ...byWallet, delegate: THIEF })),
    named('an account that is delegated to it', tokens({ ...byThief, delegate: wallet })),
    named('an account of token-2022 that is delegated to it', tokens2022({ ...byThief, delegate: wallet })),
    named('an account that it may close', tokens({ ...byThief, closer: wallet })),
    named(
      'the token of a position',
      tokens({ ...byWallet, mint: POSITION_MINT, amount: 1n }),
      tokenAccountOf(wallet, POSITION_MINT),
    ),
    named(
      'the token of a position, of token-2022',
      tokens2022({ ...byWallet, mint: POSITION_MINT, amount: 1n }),
      tokenAccountOf(wallet, POSITION_MINT, TOKEN_2022_PROGRAM),
    ),
    named('a mint that it mints', mint({ minter: wallet })),
    named('a mint that it freezes', mint({ freezer: wallet })),
    named('a mint of token-2022 that it mints', mint2022({ minter: wallet })),
    named('a mint that it is the permanent delegate of', permanentDelegate(wallet)),
    named('a multisig that it signs for', account(TOKEN_PROGRAM, multisig(wallet))),
    named('a stake that it withdraws', stake(THIEF, wallet)),
    named('a stake that it delegates', stake(wallet, THIEF)),
    named('a nonce', account(SYSTEM_PROGRAM, words(80, [1, 0], [4, 1], [8, wallet]))),
    named('a program that it upgrades', account(LOADER, words(45 + 300, [0, 3], [12, 1], [13, wallet]))),
    named('a lookup table that it extends', account(LOOKUP_TABLE_PROGRAM, words(88, [0, 1], [21, 1], [22, wallet]))),
  ];
}

/** Lists a pool's own accounts, which an honest route mentions. */
export function pooledAccounts(): OwnedAccount[] {
  const owner = walletOf('pool authority');
  return [
    { name: 'a vault', address: walletOf('venue vault in 0'), account: tokens({ owner }) },
    { name: 'a vault of token-2022', address: walletOf('venue vault out 0'), account: tokens2022({ owner }) },
    { name: 'a pool', address: walletOf('venue pool 0'), account: account(walletOf('amm'), words(300, [40, owner])) },
  ];
}

interface Tokens {
  readonly owner: string;
  readonly mint?: string;
  readonly amount?: bigint;
  readonly state?: number;
  readonly delegate?: string;
  readonly closer?: string;
}

function tokens({ owner, mint: of = OTHER_MINT, amount = 5n, state = 1, delegate, closer }: Tokens): ChainAccount {
  const data = words(165, [0, of], [32, owner], [108, state]);
  data.writeBigUInt64LE(amount, 64);
  if (delegate !== undefined) put(data, [72, 1], [76, delegate]);
  if (closer !== undefined) put(data, [129, 1], [133, closer]);
  return account(TOKEN_PROGRAM, data);
}

/** Builds a token account of Token-2022, which says what it is, and that its owner never changes. */
function tokens2022(terms: Tokens): ChainAccount {
  return account(TOKEN_2022_PROGRAM, Buffer.concat([tokens(terms).data, Buffer.of(IS_ACCOUNT, 7, 0, 0, 0)]));
}

function mint({ minter, freezer }: { readonly minter?: string; readonly freezer?: string }): ChainAccount {
  const data = words(82, [44, 6], [45, 1]);
  if (minter !== undefined) put(data, [0, 1], [4, minter]);
  if (freezer !== undefined) put(data, [46, 1], [50, freezer]);
  return account(TOKEN_PROGRAM, data);
}

function mint2022(authorities: Parameters<typeof mint>[0]): ChainAccount {
  const data = Buffer.concat([mint(authorities).data, Buffer.alloc(83), Buffer.of(IS_MINT)]);
  return account(TOKEN_2022_PROGRAM, data);
}

function permanentDelegate(delegate: string): ChainAccount {
  const { data } = mint2022({ minter: THIEF });
  return account(TOKEN_2022_PROGRAM, Buffer.concat([data, Buffer.of(12, 0, 32, 0), addressBytes(delegate)]));
}

const multisig = (signer: string): Buffer => words(355, [0, 1], [1, 2], [2, 1], [3, THIEF], [35, signer]);

const stake = (staker: string, withdrawer: string): ChainAccount =>
  account(STAKE_PROGRAM, words(200, [0, 2], [12, staker], [44, withdrawer]));

type Word = readonly [at: number, what: number | string];

function words(length: number, ...parts: readonly Word[]): Buffer {
  return put(Buffer.alloc(length), ...parts);
}

/** Writes bytes and addresses at their places. */
function put(data: Buffer, ...parts: readonly Word[]): Buffer {
  for (const [at, what] of parts) data.set(typeof what === 'number' ? [what] : addressBytes(what), at);
  return data;
}

const account = (owner: string, data: Buffer): ChainAccount => ({ owner, lamports: 1n, data, executable: false });
