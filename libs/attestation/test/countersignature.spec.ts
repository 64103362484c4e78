import { newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { countersignatureBytes, isCountersigned } from '../src/index.js';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const ephemeralKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const said = {
  permitId: newId(),
  messageHash: Buffer.alloc(32, 1),
  signatures: [Buffer.alloc(64, 2), Buffer.alloc(64, 3)],
};
const given = { ephemeralKey, signature: sign(null, countersignatureBytes(said), privateKey) };

describe('a countersignature', () => {
  it('is over permit, message and every signature', () => {
    expect(isCountersigned(said, given)).toBe(true);
    const [first, second] = said.signatures as [Buffer, Buffer];
    for (const other of [
      { ...said, permitId: newId() },
      { ...said, messageHash: Buffer.alloc(32) },
      { ...said, signatures: [first] },
      { ...said, signatures: [second, first] },
      { ...said, signatures: [] },
    ]) {
      expect(isCountersigned(other, given)).toBe(false);
    }
  });

  it('is of one key', () => {
    for (const key of [Buffer.alloc(32), Buffer.alloc(31), Buffer.alloc(32, 0xff)]) {
      expect(isCountersigned(said, { ...given, ephemeralKey: key })).toBe(false);
    }
  });

  it('begins as no message does: a Solana message begins with a small count or a version', () => {
    expect(countersignatureBytes(said).subarray(0, 32).toString()).toBe('agentwallet/countersignature/v1\n');
  });
});
