import { describe, expect, it } from '@jest/globals';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { newAddress } from '../testing/actors.js';
import { addressBytes, addressOf, isAddress } from './address.js';
import { associatedTokenAddress } from './associated-token-address.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import { isOnCurve, isWalletAddress } from './wallet-address.js';

describe('addresses', () => {
  it('are the base58 form of 32 bytes', () => {
    const address = newAddress();
    expect(isAddress(address)).toBe(true);
    expect(addressOf(addressBytes(address))).toBe(address);
    expect(isAddress(`${address}${address}`)).toBe(false);
    expect(() => addressBytes('nonsense')).toThrow(TypeError);
    expect(() => addressOf(new Uint8Array(31))).toThrow(TypeError);
  });

  it('derive the same token account as the SDK, for both programs and any owner', () => {
    for (let i = 0; i < 50; i += 1) {
      const owner = newAddress();
      const mint = newAddress();
      for (const tokenProgram of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const) {
        const derived = associatedTokenAddress({ owner, mint, tokenProgram });
        const expected = getAssociatedTokenAddressSync(
          new PublicKey(mint),
          new PublicKey(owner),
          true,
          new PublicKey(tokenProgram),
        );
        expect(derived).toBe(expected.toBase58());
        expect(isOnCurve(derived)).toBe(false);
        // The kept one is the same.
        expect(associatedTokenAddress({ owner, mint, tokenProgram })).toBe(derived);
      }
    }
  });

  it('of wallets are keys', () => {
    expect(isWalletAddress(newAddress())).toBe(true);
  });

  it.each([
    ['the system program, whose zero bytes are a point of the curve', SYSTEM_PROGRAM],
    ['a token program', TOKEN_PROGRAM],
    ['a sysvar', 'SysvarC1ock11111111111111111111111111111111'],
    ['the incinerator', '1nc1nerator11111111111111111111111111111111'],
    [
      'a token account',
      associatedTokenAddress({ owner: newAddress(), mint: newAddress(), tokenProgram: TOKEN_PROGRAM }),
    ],
    ['no address', 'agent@example.com'],
    ['nothing', ''],
  ])('of wallets are never %s', (_, address) => {
    expect(isWalletAddress(address)).toBe(false);
  });
});
