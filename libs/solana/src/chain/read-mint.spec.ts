import { describe, expect, it } from '@jest/globals';
import { ExtensionType, getMintLen } from '@solana/spl-token';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { keyOf } from '../testing/actors.js';
import { mintBytes } from '../testing/responses.js';
import { readMint } from './read-mint.js';
import { ShapeError } from './shapes.js';

const ADDRESS = keyOf('mint').toBase58();
const read = (data: Uint8Array, owner: string = TOKEN_2022_PROGRAM) =>
  readMint(ADDRESS, { owner, data, lamports: 1n, executable: false });

function extension(type: number, value: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

const extended = (...extensions: Buffer[]): Buffer =>
  Buffer.concat([mintBytes(), Buffer.alloc(83), Buffer.of(1), ...extensions]);

function feeConfig(): Buffer {
  const value = Buffer.alloc(108);
  [7n, 5_000n].forEach((number, i) => value.writeBigUInt64LE(number, 72 + 8 * i));
  value.writeUInt16LE(100, 88);
  [9n, 6_000n].forEach((number, i) => value.writeBigUInt64LE(number, 90 + 8 * i));
  value.writeUInt16LE(250, 106);
  return value;
}

describe('reading a mint', () => {
  it('of the token program', () => {
    expect(read(mintBytes(), TOKEN_PROGRAM)).toEqual({
      address: ADDRESS,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 6,
      supply: 1_000n,
      mintAuthority: keyOf('mint authority').toBase58(),
      freezeAuthority: null,
      extensions: [],
      transferFee: null,
      permanentDelegate: null,
      transferHook: null,
      accountsBeginFrozen: false,
    });
  });

  it('of token-2022, with what it lets others do', () => {
    const mint = read(
      extended(
        extension(12, keyOf('delegate').toBuffer()),
        extension(14, Buffer.concat([keyOf('hook authority').toBuffer(), keyOf('hook').toBuffer()])),
        extension(6, Buffer.of(2)),
      ),
    );
    expect(mint).toMatchObject({
      permanentDelegate: keyOf('delegate').toBase58(),
      transferHook: keyOf('hook').toBase58(),
      accountsBeginFrozen: true,
    });
    const harmless = read(
      extended(extension(12, Buffer.alloc(32)), extension(14, Buffer.alloc(64)), extension(6, Buffer.of(1))),
    );
    expect(harmless).toMatchObject({ permanentDelegate: null, transferHook: null, accountsBeginFrozen: false });
  });

  it('of token-2022, with and without extensions', () => {
    expect(read(mintBytes())).toMatchObject({ tokenProgram: TOKEN_2022_PROGRAM, extensions: [] });
    const mint = read(
      extended(extension(1, feeConfig()), extension(9, Buffer.alloc(0)), extension(999, Buffer.alloc(3))),
    );
    expect(mint?.extensions).toEqual(['transferFeeConfig', 'nonTransferable', 'unknown:999']);
    expect(mint?.transferFee).toEqual({
      older: { epoch: 7n, maximumFee: 5_000n, basisPoints: 100 },
      newer: { epoch: 9n, maximumFee: 6_000n, basisPoints: 250 },
    });
  });

  it('stops at the padding behind the last extension', () => {
    const mint = read(Buffer.concat([extended(extension(9, Buffer.alloc(0))), Buffer.alloc(20)]));
    expect(mint?.extensions).toEqual(['nonTransferable']);
  });

  it('knows extensions by the numbers that the SDK gives them', () => {
    const names: [number, string][] = [
      [ExtensionType.TransferFeeConfig, 'transferFeeConfig'],
      [ExtensionType.MintCloseAuthority, 'mintCloseAuthority'],
      [ExtensionType.DefaultAccountState, 'defaultAccountState'],
      [ExtensionType.NonTransferable, 'nonTransferable'],
      [ExtensionType.InterestBearingConfig, 'interestBearingConfig'],
      [ExtensionType.PermanentDelegate, 'permanentDelegate'],
      [ExtensionType.TransferHook, 'transferHook'],
      [ExtensionType.MetadataPointer, 'metadataPointer'],
      [ExtensionType.TokenMetadata, 'tokenMetadata'],
      [ExtensionType.PausableConfig, 'pausable'],
      [ExtensionType.ScaledUiAmountConfig, 'scaledUiAmount'],
    ];
    for (const [type, name] of names) {
      const length = { [ExtensionType.PermanentDelegate]: 32, [ExtensionType.TransferHook]: 64, 1: 108 }[type] ?? 0;
      expect(read(extended(extension(type, Buffer.alloc(length))))?.extensions).toEqual([name]);
    }
    expect(getMintLen([ExtensionType.NonTransferable])).toBe(extended(extension(9, Buffer.alloc(0))).length);
  });

  it.each([
    ['an account of another program', mintBytes(), SYSTEM_PROGRAM],
    ['a token account', Buffer.alloc(165), TOKEN_PROGRAM],
    ['an extended token account', Buffer.concat([Buffer.alloc(165), Buffer.of(2)]), TOKEN_2022_PROGRAM],
    ['an extended mint of the plain program', extended(), TOKEN_PROGRAM],
    ['a mint that is not initialized', mintBytes().fill(0, 45, 46), TOKEN_PROGRAM],
    ['nothing', Buffer.alloc(0), TOKEN_PROGRAM],
  ])('finds none in %s', (_, data, owner) => {
    expect(read(data, owner)).toBeNull();
  });

  it.each([
    ['an extension longer than the account', extended(extension(9, Buffer.alloc(4)).subarray(0, 6))],
    ['a transfer fee of another length', extended(extension(1, Buffer.alloc(8)))],
    ['a delegate that is not an address', extended(extension(12, Buffer.alloc(31)))],
    ['a hook without its program', extended(extension(14, Buffer.alloc(32)))],
    ['an authority that is neither set nor unset', Buffer.from(mintBytes()).fill(2, 0, 1)],
  ])('refuses %s', (_, data) => {
    expect(() => read(data)).toThrow(ShapeError);
  });
});
