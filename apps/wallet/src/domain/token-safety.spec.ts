import { describe, expect, it } from '@jest/globals';
import { assertNotFrozen, assertSafeToken } from './token-safety.js';

describe('a token', () => {
  const safe = [[], ['metadataPointer', 'tokenMetadata'], ['mintCloseAuthority'], ['transferFeeConfig']];
  it.each(safe.map((extensions) => [extensions]))('with %j is safe', (extensions) => {
    expect(() => assertSafeToken({ address: 'mint', extensions, accountsBeginFrozen: false })).not.toThrow();
  });

  it('whose accounts begin frozen is refused; one that says that they do not is safe', () => {
    const extensions = ['defaultAccountState'];
    expect(() => assertSafeToken({ address: 'mint', extensions, accountsBeginFrozen: false })).not.toThrow();
    expect(() => assertSafeToken({ address: 'mint', extensions, accountsBeginFrozen: true })).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TOKEN', data: { mint: 'mint', reasons: ['defaultAccountState'] } }),
    );
  });

  it.each([
    'transferHook',
    'nonTransferable',
    'permanentDelegate',
    'pausable',
    'confidentialTransferFeeConfig',
    'confidentialMintBurn',
    'scaledUiAmount',
    'interestBearingConfig',
    'unknown:99',
  ])('with %s is refused by name', (extension) => {
    const mint = {
      address: 'mint',
      extensions: ['metadataPointer', 'transferFeeConfig', extension],
      accountsBeginFrozen: false,
    };
    expect(() => assertSafeToken(mint)).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TOKEN', data: { mint: 'mint', reasons: [extension] } }),
    );
  });

  it('that was frozen by its issuer cannot be moved, by either party', () => {
    expect(() => assertNotFrozen({ isFrozen: false, mint: 'mint' }, 'wallet')).not.toThrow();
    expect(() => assertNotFrozen({ isFrozen: true, mint: 'mint' }, 'recipient')).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TOKEN', data: { mint: 'mint', reasons: ['frozen_recipient'] } }),
    );
  });
});
