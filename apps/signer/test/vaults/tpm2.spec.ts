import { silent } from '@agent-wallet/platform/testing';
import { canUseTpm, where, openTestTpm, type TestTpm, useOwnTemporaryFolder } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import { openTpm2Vault, type Tpm2Choice } from '../../src/adapters/vaults/tpm2/index.js';
import type { Tpm2QuoteDocument } from '../../src/adapters/vaults/tpm2/evidence.js';
import { type Evidence, type Vault, VaultError } from '../../src/ports/vault.js';

const describeWithTpm = where(describe, { name: 'a TPM in software (swtpm and tpm2-tools)', isMet: canUseTpm() });

const PCRS = 'sha256:0,7';
const secret = randomBytes(32);
let tpm: TestTpm;

const open = (change: Partial<Tpm2Choice> = {}): Promise<Vault> =>
  openTpm2Vault({ driver: 'tpm2', tcti: tpm.tcti, pcrs: PCRS, timeoutMs: 10_000, ...change }, silent);

/** The parts of a TPMS_ATTEST, read here a second time. */
function readAttest(attest: Buffer) {
  let at = 0;
  const take = (bytes: number) => attest.subarray(at, (at += bytes));
  const sized = () => take(take(2).readUInt16BE());
  const [magic, type] = [take(4).toString('hex'), take(2).toString('hex')];
  const [, extraData] = [sized(), sized()];
  take(17 + 8);
  const banks = take(4).readUInt32BE();
  const selection = take(banks * (2 + 1 + 3)).toString('hex');
  const pcrDigest = sized();
  return { magic, type, extraData, selection, pcrDigest, rest: attest.length - at };
}

/** r ‖ s of a TPMT_SIGNATURE of ECDSA with SHA-256. */
function readSignature(signature: Buffer): Buffer {
  expect(signature.subarray(0, 4).toString('hex')).toBe('0018000b');
  const r = signature.readUInt16BE(4);
  const s = signature.readUInt16BE(6 + r);
  expect(signature).toHaveLength(8 + r + s);
  const padded = [signature.subarray(6, 6 + r), signature.subarray(8 + r)].map((number) =>
    Buffer.concat([Buffer.alloc(32 - number.length), number]),
  );
  return Buffer.concat(padded);
}

function expectQuote({ format, keyId, document }: Evidence, binding: Buffer) {
  expect(format).toBe('tpm2-quote/v1');
  const quote = JSON.parse(document.toString()) as Tpm2QuoteDocument;
  const key = createPublicKey(quote.ak);
  expect(
    createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex'),
  ).toBe(keyId);
  const attest = Buffer.from(quote.attest, 'base64');
  const signature = readSignature(Buffer.from(quote.signature, 'base64'));
  expect(verify('sha256', attest, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
  const values = Buffer.concat(['0', '7'].map((index) => Buffer.from(quote.pcrs['sha256']![index]!, 'hex')));
  expect(readAttest(attest)).toEqual({
    magic: 'ff544347',
    type: '8018',
    extraData: binding,
    selection: '000b03810000',
    pcrDigest: createHash('sha256').update(values).digest(),
    rest: 0,
  });
  return quote;
}

const foldersLeft = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith('agent-wallet-tpm-'));

describeWithTpm('the vault in a TPM', () => {
  afterAll(useOwnTemporaryFolder());
  beforeEach(async () => void (tpm = await openTestTpm()));
  afterEach(() => tpm.stop());

  it('opens what it sealed, also after the machine and the signer were started again', async () => {
    const vault = await open();
    const sealed = await vault.seal(secret);
    expect(sealed.includes(secret)).toBe(false);
    expect(sealed.toString()).not.toContain(secret.toString('base64').slice(0, 40));
    await vault.close?.();
    await tpm.restart();
    const again = await open();
    expect(again.describe()).toEqual(vault.describe());
    expect(await again.unseal(sealed)).toEqual(secret);
  });

  it('does not open once something else was measured, and does again after the start that it was sealed to', async () => {
    const vault = await open();
    const sealed = await vault.seal(secret);
    await tpm.extendPcr(7);
    await expect(vault.unseal(sealed)).rejects.toThrow(VaultError);
    await expect(vault.unseal(sealed)).rejects.toThrow('the registers (PCRs) are not what they were');
    await tpm.restart();
    expect(await vault.unseal(sealed)).toEqual(secret);
    // A register that it was not sealed to.
    await tpm.extendPcr(4);
    expect(await vault.unseal(sealed)).toEqual(secret);
  });

  it('does not open what was altered anywhere', async () => {
    const vault = await open();
    const blob = JSON.parse((await vault.seal(secret)).toString()) as Record<string, string>;
    const altered = (change: Record<string, string>) => Buffer.from(JSON.stringify({ ...blob, ...change }));
    for (const part of ['public', 'private']) {
      const bytes = Buffer.from(blob[part]!, 'base64');
      for (const at of [0, 10, Math.trunc(bytes.length / 2), bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1;
        await expect(vault.unseal(altered({ [part]: changed.toString('base64') }))).rejects.toThrow(VaultError);
      }
    }
    await expect(vault.unseal(altered({ pcrs: 'sha256:0' }))).rejects.toThrow(VaultError);
    for (const nothing of [
      altered({ pcrs: '-o/etc/passwd' }),
      altered({ format: 'x' }),
      Buffer.from('{'),
      Buffer.alloc(0),
    ])
      await expect(vault.unseal(nothing)).rejects.toThrow('nothing that a TPM sealed, or it was altered');
    expect(await vault.unseal(altered({}))).toEqual(secret);
  });

  it('does not open what the TPM of another machine sealed', async () => {
    const other = await openTestTpm();
    try {
      const theirs = await open({ tcti: other.tcti });
      const ours = await open();
      expect(theirs.describe().id).not.toBe(ours.describe().id);
      const sealed = await theirs.seal(secret);
      await expect(ours.unseal(sealed)).rejects.toThrow('sealed by another TPM');
      const pretending = { ...(JSON.parse(sealed.toString()) as object), srk: ours.describe().id };
      await expect(ours.unseal(Buffer.from(JSON.stringify(pretending)))).rejects.toThrow(
        'altered, or sealed by another TPM',
      );
    } finally {
      await other.stop();
    }
  });

  it('quotes the registers and the binding, with a key that stays the same', async () => {
    const vault = await open();
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const before = await vault.evidence(first);
    const quote = expectQuote(before, first);
    expect(quote.pcrs).toEqual({ sha256: { '0': '00'.repeat(32), '7': '00'.repeat(32) } });
    await tpm.restart();
    await tpm.extendPcr(7);
    const after = await (await open()).evidence(second);
    expect(after.keyId).toBe(before.keyId);
    expect(expectQuote(after, second).pcrs['sha256']!['7']).toBe(
      createHash('sha256')
        .update(Buffer.alloc(32))
        .update(Buffer.from('5a'.repeat(32), 'hex'))
        .digest('hex'),
    );
    await expect(vault.evidence(Buffer.alloc(31))).rejects.toThrow('a binding has 32 bytes');
  });

  it('leaves nothing in the TPM, however often it is asked', async () => {
    const vault = await open();
    const sealed = await vault.seal(secret);
    // A TPM has room for three of a kind.
    for (let times = 0; times < 8; times += 1) {
      expect(await vault.unseal(sealed)).toEqual(secret);
      if (times % 2 === 0) await vault.evidence(randomBytes(32));
      if (times % 4 === 1) await expect(vault.unseal(Buffer.from('{}'))).rejects.toThrow(VaultError);
    }
    await tpm.extendPcr(0);
    await expect(vault.unseal(sealed)).rejects.toThrow(VaultError);
    for (const kind of ['transient', 'loaded-session', 'saved-session', 'persistent'] as const)
      expect(await tpm.countHandles(kind)).toBe(0);
    expect(foldersLeft()).toEqual([]);
  });

  it('is asked by many at once, of one signer and of two', async () => {
    const vaults = await Promise.all([open(), open()]);
    const sealed = await Promise.all(vaults.map((vault) => vault.seal(secret)));
    const asked = Array.from({ length: 12 }, async (_, index) => {
      const vault = vaults[index % 2]!;
      if (index % 3 === 0) {
        const binding = randomBytes(32);
        expectQuote(await vault.evidence(binding), binding);
      } else expect(await vault.unseal(sealed[(index >> 1) % 2]!)).toEqual(secret);
    });
    await Promise.all(asked);
    expect(await tpm.countHandles('transient')).toBe(0);
  });
});

describeWithTpm('a TPM that is not as it should be', () => {
  beforeEach(async () => void (tpm = await openTestTpm()));
  afterEach(() => tpm.stop());

  it('is away: that is said at the start, and later', async () => {
    const vault = await open();
    const sealed = await vault.seal(secret);
    await tpm.powerOff();
    await expect(open()).rejects.toThrow('it cannot be reached');
    await expect(vault.unseal(sealed)).rejects.toThrow(VaultError);
    await expect(vault.evidence(randomBytes(32))).rejects.toThrow('it cannot be reached');
  });

  it('hangs: each call fails within the time limit, and calls succeed when it answers again', async () => {
    const vault = await open({ timeoutMs: 1_000 });
    const sealed = await vault.seal(secret);
    tpm.pause();
    await expect(vault.unseal(sealed)).rejects.toThrow('did not answer tpm2_flushcontext within 1000 ms');
    await expect(open({ timeoutMs: 500 })).rejects.toThrow(VaultError);
    tpm.resume();
    expect(await vault.unseal(sealed)).toEqual(secret);
    expect(await tpm.countHandles('transient')).toBe(0);
  });

  it('keeps no such bank: nothing is sealed to registers that are not there', async () => {
    await tpm.removeBank('sha384');
    await expect(open({ pcrs: 'sha256:0+sha384:0' })).rejects.toThrow('does not keep all of the registers');
    await expect(open({ pcrs: 'sha256:0+sha512:0' })).resolves.toBeDefined();
  });
});
