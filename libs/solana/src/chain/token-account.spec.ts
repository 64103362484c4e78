import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT_SIZE,
  AccountLayout,
  AccountState,
  ExtensionType,
  getAccountLen,
  MULTISIG_SIZE,
} from '@solana/spl-token';
import { Keypair } from '@solana/web3.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { readTokenAccount, tokenAccountBytes } from './token-account.js';

const [mint, owner, other] = [1, 2, 3].map(() => Keypair.generate().publicKey) as [never, never, never];
const PLAIN: Parameters<typeof AccountLayout.encode>[0] = {
  mint,
  owner,
  amount: 7n,
  state: AccountState.Initialized,
  isNative: 0n,
  delegatedAmount: 0n,
  delegate: other,
  closeAuthority: other,
  delegateOption: 0,
  isNativeOption: 0,
  closeAuthorityOption: 0,
};

/** A token account as the SDK writes it, with bytes behind it. */
function account(over: Partial<Parameters<typeof AccountLayout.encode>[0]> = {}, tail: readonly number[] = []) {
  const data = Buffer.alloc(ACCOUNT_SIZE + tail.length);
  AccountLayout.encode({ ...PLAIN, ...over }, data);
  data.set(tail, ACCOUNT_SIZE);
  return { owner: tail.length > 0 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM, lamports: 1n, data, executable: false };
}

const MEMO_REQUIRED = [2, 8, 0, 1, 0, 1];

describe('readTokenAccount', () => {
  it('reads what the SDK wrote', () => {
    expect(readTokenAccount(account())).toEqual({
      mint: String(mint),
      owner: String(owner),
      amount: 7n,
      isFrozen: false,
      needsMemo: false,
      hasDelegate: false,
      hasCloseAuthority: false,
      terms: expect.stringMatching(/^[0-9a-f]{314}$/),
    });
  });

  it.each([
    ['isFrozen', account({ state: AccountState.Frozen })],
    ['hasDelegate', account({ delegateOption: 1 })],
    ['hasCloseAuthority', account({ closeAuthorityOption: 1 })],
    ['needsMemo', account({}, MEMO_REQUIRED)],
  ])('tells that it %s', (property, changed) => {
    expect(readTokenAccount(account())).toMatchObject({ [property]: false });
    expect(readTokenAccount(changed)).toMatchObject({ [property]: true });
  });

  it('has the same terms for any amount, and others for everything else', () => {
    const { terms } = readTokenAccount(account())!;
    expect(readTokenAccount(account({ amount: 2n ** 64n - 1n }))!.terms).toBe(terms);
    for (const over of [{ owner: other }, { mint: other }, { delegateOption: 1 as const }, { delegatedAmount: 1n }]) {
      expect(readTokenAccount(account(over))!.terms).not.toBe(terms);
    }
  });

  it.each([
    ['nothing', null],
    ['an account of another program', { ...account(), owner: SYSTEM_PROGRAM }],
    ['an account that is not initialized', account({ state: AccountState.Uninitialized })],
    ['too few bytes', { ...account(), data: account().data.subarray(0, ACCOUNT_SIZE - 1) }],
    ['a longer account of the classic program', { ...account({}, [2]), owner: TOKEN_PROGRAM }],
    ['a multisig', { ...account(), data: Buffer.alloc(MULTISIG_SIZE, 1) }],
    ['a mint with extensions', account({}, [1])],
  ])('takes %s for none', (_, given) => {
    expect(readTokenAccount(given)).toBeUndefined();
  });

  it('refuses extensions that end beyond the account', () => {
    expect(() => readTokenAccount(account({}, MEMO_REQUIRED.slice(0, -1)))).toThrow('longer than its account');
  });
});

const of2022 = (...extensions: string[]) => tokenAccountBytes({ tokenProgram: TOKEN_2022_PROGRAM, extensions });
const { ImmutableOwner, TransferFeeAmount, NonTransferableAccount, TransferHookAccount } = ExtensionType;

describe('the size of a new token account', () => {
  it("is the SDK's", () => {
    expect(tokenAccountBytes({ tokenProgram: TOKEN_PROGRAM, extensions: [] })).toBe(getAccountLen([]));
    expect(of2022()).toBe(getAccountLen([ImmutableOwner]));
    expect(of2022('tokenMetadata')).toBe(getAccountLen([ImmutableOwner]));
    expect(of2022('transferFeeConfig')).toBe(getAccountLen([ImmutableOwner, TransferFeeAmount]));
    expect(of2022('nonTransferable')).toBe(getAccountLen([ImmutableOwner, NonTransferableAccount]));
    expect(of2022('transferFeeConfig', 'transferHook')).toBe(
      getAccountLen([ImmutableOwner, TransferFeeAmount, TransferHookAccount]),
    );
  });

  it('leaves room for extensions that are not known', () => {
    expect(of2022('unknown:99')).toBeGreaterThan(of2022('transferFeeConfig'));
  });
});
