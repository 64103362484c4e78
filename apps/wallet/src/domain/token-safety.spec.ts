import { describe, expect, it } from '@jest/globals';
import { assertNotFrozen, assertSafeToken } from './token-safety.js';

describe('a token', () => {
  it.each([[[]], [['metadataPointer', 'tokenMetadata']], [['mintCloseAuthority']]])('with %j is safe', (extensions) => {
    expect(() => assertSafeToken(extensions)).not.toThrow();
  });

  it.each([
    'transferFeeConfig',
    'transferHook',
    'nonTransferable',
    'permanentDelegate',
    'pausable',
    'defaultAccountState',
    'scaledUiAmount',
    'interestBearingConfig',
    'unknown:99',
  ])('with %s is refused by name', (extension) => {
    expect(() => assertSafeToken(['metadataPointer', extension])).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TOKEN', data: { extensions: extension } }),
    );
  });

  it('that was frozen by its issuer cannot be moved, whoever holds it', () => {
    expect(() => assertNotFrozen(false, 'wallet')).not.toThrow();
    expect(() => assertNotFrozen(true, 'recipient')).toThrow(expect.objectContaining({ code: 'UNSAFE_TOKEN' }));
  });
});
