import { describe, expect, it } from '@jest/globals';
import { ExtensionType, getAccountLen } from '@solana/spl-token';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { tokenAccountBytes } from './token-account-bytes.js';

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
