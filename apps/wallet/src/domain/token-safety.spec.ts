import { describe, expect, it } from '@jest/globals';
import { assertNotFrozen, assertSafeToken } from './token-safety.js';

describe('a token', () => {
  const safe = [[], ['metadataPointer', 'tokenMetadata'], ['mintCloseAuthority'], ['transferFeeConfig']];
  it.each(safe.map((extensions) => [extensions]))('with %j is safe', (extensions) => {
    expect(() => assertSafeToken({ extensions, accountsBeginFrozen: false })).not.toThrow();
  });

  it('whose accounts begin frozen is refused; one that says that they do not is safe', () => {
    const extensions = ['defaultAccountState'];
    expect(() => assertSafeToken({ extensions, accountsBeginFrozen: false })).not.toThrow();
    expect(() => assertSafeToken({ extensions, accountsBeginFrozen: true })).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TOKEN', data: { extensions: 'defaultAccountState' } }),
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
    const mint = { extensions: ['metadataPointer', 'transferFeeConfig', extension], accountsBeginFrozen: false };
    expect(() => assertSafeToken(mint)).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TOKEN', data: { extensions: extension } }),
    );
  });

  it('that was frozen by its issuer cannot be moved, whoever holds it', () => {
    expect(() => assertNotFrozen(false, 'wallet')).not.toThrow();
    expect(() => assertNotFrozen(true, 'recipient')).toThrow(expect.objectContaining({ code: 'UNSAFE_TOKEN' }));
  });
});
