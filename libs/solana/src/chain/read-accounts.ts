import { formatAmount } from '@agent-wallet/kernel';
import { isTokenProgram, TOKEN_2022_PROGRAM, type TokenProgram } from '../addresses/programs.js';
import {
  type AtSlot,
  type Fields,
  readAddress,
  readArray,
  readAtSlot,
  readBase64,
  readCount,
  readFields,
  readText,
  readU64,
  readU64Text,
  ShapeError,
} from './shapes.js';
import type { ChainAccount, TokenHolding, WalletHoldings } from './solana-chain.js';

/** Reads the result of getMultipleAccounts in base64. @throws ShapeError */
export function readAccounts(result: unknown, count: number): AtSlot<(ChainAccount | null)[]> {
  const { slot, value } = readAtSlot(result);
  return { slot, value: readAccountList(value, count) };
}

/** Reads exactly the requested number of accounts, in base64; null where no account exists. @throws ShapeError */
export function readAccountList(value: unknown, count: number): (ChainAccount | null)[] {
  const accounts = readArray(value, 'the accounts').map((account) => (account === null ? null : readAccount(account)));
  if (accounts.length !== count) throw new ShapeError('not as many accounts as were asked for');
  return accounts;
}

function readAccount(value: unknown): ChainAccount {
  const { owner, lamports, data, executable } = readFields(value, 'the account');
  if (typeof executable !== 'boolean') throw new ShapeError('executable is not a boolean');
  return {
    owner: readAddress(owner, 'the owner'),
    lamports: readU64(lamports, 'the lamports'),
    data: readBase64(data, 'the data'),
    executable,
  };
}

/**
 * Reads the result of getTokenAccountsByOwner in jsonParsed, the only encoding with decimals. Accounts that the node could
 * not parse and returns as bytes are named alone, so that one of them does not hide the others.
 * @throws ShapeError
 */
export function readTokenAccounts(
  result: unknown,
  expected: { owner: string; tokenProgram: TokenProgram },
): AtSlot<Pick<WalletHoldings, 'tokens' | 'unparsed'>> {
  const unparsed: string[] = [];
  const { slot, value } = readAtSlot(result);
  const tokens = readArray(value, 'the token accounts').flatMap((entry) => {
    const { pubkey, account } = readFields(entry, 'the entry');
    const { owner, data } = readFields(account, 'the account');
    if (Array.isArray(data)) {
      unparsed.push(readAddress(pubkey, 'the address'));
      return [];
    }
    const tokenProgram = readAddress(owner, 'the program');
    const holding = readHolding(readAddress(pubkey, 'the address'), parsedInfo(data));
    if (tokenProgram !== expected.tokenProgram || !isTokenProgram(tokenProgram) || holding.owner !== expected.owner) {
      throw new ShapeError('a token account of another owner or program');
    }
    const isScaled = tokenProgram === TOKEN_2022_PROGRAM && holding.isScaled;
    return [{ ...holding.token, tokenProgram, isScaled }];
  });
  refuseContradictions(tokens);
  return { slot, value: { tokens, unparsed } };
}

/**
 * Rejects an account that is listed twice, which would count double, and a mint with two numbers of decimals.
 * @throws ShapeError
 */
function refuseContradictions(tokens: readonly TokenHolding[]): void {
  const accounts = new Set<string>();
  const decimalsOf = new Map<string, number>();
  for (const { account, mint, decimals } of tokens) {
    if (accounts.has(account)) throw new ShapeError('a token account is listed twice');
    if ((decimalsOf.get(mint) ?? decimals) !== decimals) throw new ShapeError('a mint has two numbers of decimals');
    accounts.add(account);
    decimalsOf.set(mint, decimals);
  }
}

function parsedInfo(data: unknown): Fields {
  const { parsed } = readFields(data, 'the data');
  const { type, info } = readFields(parsed, 'the parsed data');
  if (type !== 'account') throw new ShapeError('no token account');
  return readFields(info, 'the info');
}

const MAX_DECIMALS = 255;

function readDecimals(value: unknown): number {
  const decimals = readCount(value, 'the decimals');
  if (decimals > MAX_DECIMALS) throw new ShapeError('the decimals are not a byte');
  return decimals;
}

interface Holding {
  readonly owner: string;
  /** Whether the node shows another amount than the base units by their decimals. */
  readonly isScaled: boolean;
  readonly token: Omit<TokenHolding, 'tokenProgram' | 'isScaled'>;
}

function readHolding(account: string, info: Fields): Holding {
  const { amount, decimals, uiAmountString } = readFields(info.tokenAmount, 'the token amount');
  const plain = formatAmount(readU64Text(amount, 'the amount'), readDecimals(decimals));
  return {
    owner: readAddress(info.owner, 'the owner'),
    isScaled: uiAmountString !== undefined && uiAmountString !== plain,
    token: {
      account,
      mint: readAddress(info.mint, 'the mint'),
      amount: readU64Text(amount, 'the amount'),
      decimals: readDecimals(decimals),
      frozen: readText(info.state, 'the state') === 'frozen',
    },
  };
}
