import { silent } from '@agent-wallet/platform/testing';
import { canUseHsm, where, openTestHsm, type TestHsm } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as Pkcs11Js from 'pkcs11js';
import type { Pkcs11EvidenceDocument } from '../../src/adapters/vaults/pkcs11/evidence.js';
import { openPkcs11Vault, type Pkcs11Choice } from '../../src/adapters/vaults/pkcs11/index.js';
import { type Vault, VaultError } from '../../src/ports/vault.js';
import { inProcess } from './pkcs11-process.js';

const describeWithHsm = where(describe, { name: 'a security module in software (SoftHSM)', isMet: canUseHsm() });

const secret = randomBytes(32);
let hsm: TestHsm;
let choice: Pkcs11Choice;

/** Opens a vault for one piece of work. */
async function using<T>(change: Partial<Pkcs11Choice>, work: (vault: Vault) => Promise<T>): Promise<T> {
  const vault = await openPkcs11Vault({ ...choice, ...change }, silent);
  try {
    return await work(vault);
  } finally {
    await vault.close?.();
  }
}

const opened = (change: Partial<Pkcs11Choice> = {}) => using(change, async (vault) => vault.describe());

/** The token in another user's session who knows the PIN, with the module's own functions. */
async function withToken<T>(
  work: (names: typeof Pkcs11Js, calls: Pkcs11Js.PKCS11, session: Pkcs11Js.Handle) => T,
): Promise<T> {
  const { default: names } = (await import('pkcs11js')) as unknown as { default: typeof Pkcs11Js };
  const calls = new names.PKCS11(hsm.modulePath);
  calls.C_Initialize({ flags: names.CKF_OS_LOCKING_OK });
  try {
    const slot = calls.C_GetSlotList(true).find((one) => calls.C_GetTokenInfo(one).label.trim() === hsm.tokenLabel)!;
    const session = calls.C_OpenSession(slot, names.CKF_SERIAL_SESSION | names.CKF_RW_SESSION);
    calls.C_Login(session, names.CKU_USER, hsm.pin);
    return work(names, calls, session);
  } finally {
    calls.C_Finalize();
    calls.close();
  }
}

function find(calls: Pkcs11Js.PKCS11, session: Pkcs11Js.Handle, template: Pkcs11Js.Template): Pkcs11Js.Handle[] {
  calls.C_FindObjectsInit(session, template);
  const found = calls.C_FindObjects(session, 100);
  calls.C_FindObjectsFinal(session);
  return found;
}

beforeAll(async () => {
  if (!canUseHsm()) return;
  hsm = await openTestHsm();
});
afterAll(async () => hsm?.stop());
beforeEach(() => {
  if (!hsm) return;
  const { modulePath, tokenLabel, pinPath } = hsm;
  choice = { driver: 'pkcs11', modulePath, tokenLabel, pinPath, keyLabel: 'agent-wallet', allowsSoftware: true };
});

describeWithHsm('the vault in a token', () => {
  it('opens what it sealed, in another session, another process, and with another vault beside it', async () => {
    const sealed = await using({}, (vault) => vault.seal(secret));
    expect(sealed.includes(secret)).toBe(false);
    expect(await using({}, (vault) => vault.unseal(sealed))).toEqual(secret);
    const theirs = await inProcess(
      hsm,
      choice,
      `(await vault.unseal(Buffer.from(input, 'base64'))).toString('base64')`,
      {
        input: sealed.toString('base64'),
      },
    );
    expect(Buffer.from(theirs, 'base64')).toEqual(secret);
    await using({}, (one) =>
      using({}, async (other) => expect(await other.unseal(await one.seal(secret))).toEqual(secret)),
    );
  });

  it('is asked by many at once', async () => {
    await using({}, async (vault) => {
      const sealed = await Promise.all(Array.from({ length: 20 }, () => vault.seal(secret)));
      const evidence = Promise.all(Array.from({ length: 20 }, () => vault.evidence(randomBytes(32))));
      expect(await Promise.all(sealed.map((bytes) => vault.unseal(bytes)))).toEqual(Array(20).fill(secret));
      expect(new Set((await evidence).map(({ keyId }) => keyId)).size).toBe(1);
      expect(new Set(sealed.map(String)).size).toBe(20);
    });
  });

  it('keeps its key unreadable, even for a user who knows the PIN', async () => {
    await opened();
    await withToken((names, calls, session) => {
      const secretKey = [{ type: names.CKA_CLASS, value: names.CKO_SECRET_KEY }];
      const [key, ...others] = find(calls, session, [...secretKey, { type: names.CKA_LABEL, value: 'agent-wallet' }]);
      expect(others).toEqual([]);
      expect(() => calls.C_GetAttributeValue(session, key!, [{ type: names.CKA_VALUE }])).toThrow(
        'CKR_ATTRIBUTE_SENSITIVE',
      );
      const ours = calls.C_GenerateKey(session, { mechanism: names.CKM_AES_KEY_GEN }, [
        { type: names.CKA_VALUE_LEN, value: 32 },
        { type: names.CKA_WRAP, value: true },
      ]);
      const wrap = (what: Pkcs11Js.Handle) =>
        calls.C_WrapKey(session, { mechanism: names.CKM_AES_KEY_WRAP }, ours, what, Buffer.alloc(256));
      expect(() => wrap(key!)).toThrow('CKR_KEY_UNEXTRACTABLE');
      const [signer] = find(calls, session, [{ type: names.CKA_CLASS, value: names.CKO_PRIVATE_KEY }]);
      expect(() => wrap(signer!)).toThrow(/CKR_KEY_(UNEXTRACTABLE|NOT_WRAPPABLE)/);
      expect(() => calls.C_GetAttributeValue(session, signer!, [{ type: names.CKA_VALUE }])).toThrow('CKR_');
      // Nor can it be made readable afterwards.
      const unlock = [{ type: names.CKA_EXTRACTABLE, value: true }];
      expect(() => calls.C_SetAttributeValue(session, key!, unlock)).toThrow('CKR_');
    });
  });

  it('refuses a key that could be taken out', async () => {
    await withToken((names, calls, session) =>
      calls.C_GenerateKey(session, { mechanism: names.CKM_AES_KEY_GEN }, [
        { type: names.CKA_TOKEN, value: true },
        { type: names.CKA_VALUE_LEN, value: 32 },
        { type: names.CKA_LABEL, value: 'loose' },
        { type: names.CKA_ID, value: Buffer.from('01', 'hex') },
        { type: names.CKA_SENSITIVE, value: false },
        { type: names.CKA_EXTRACTABLE, value: true },
      ]),
    );
    await expect(opened({ keyLabel: 'loose' })).rejects.toThrow('the key "loose" can be taken out of the token');
  });

  it('makes missing keys once, also when processes start at the same moment', async () => {
    const another = { ...choice, keyLabel: `key-${randomUUID()}` };
    const program = `[vault.describe().id, (await vault.evidence(Buffer.alloc(32))).keyId].join(' ')`;
    const seen = await Promise.all([1, 2, 3].map(() => inProcess(hsm, another, program)));
    expect(new Set(seen).size).toBe(1);
    const ids = await withToken((names, calls, session) =>
      ['', ' (candidate)'].map((end) =>
        ['', '-evidence'].map(
          (kind) => find(calls, session, [{ type: names.CKA_LABEL, value: `${another.keyLabel}${kind}${end}` }]).length,
        ),
      ),
    );
    // One AES key, the two halves of one pair, and no candidate that lost.
    expect(ids).toEqual([
      [1, 2],
      [0, 0],
    ]);
  });

  it('does not open what was altered, or sealed by another key or token', async () => {
    await hsm.addToken('other');
    const [foreign, sealed] = await Promise.all([
      using({ tokenLabel: 'other' }, (vault) => vault.seal(secret)),
      using({}, (vault) => vault.seal(secret)),
    ]);
    await using({}, async (vault) => {
      await expect(vault.unseal(foreign)).rejects.toThrow('has no key');
      const blob = JSON.parse(sealed.toString()) as Record<string, string>;
      const altered = (change: object) => Buffer.from(JSON.stringify({ ...blob, ...change }));
      const { key } = JSON.parse(foreign.toString()) as { key: string };
      await expect(vault.unseal(altered({ key }))).rejects.toThrow(VaultError);
      for (const part of ['nonce', 'ciphertext'] as const) {
        const bytes = Buffer.from(blob[part]!, 'base64');
        for (const at of [0, bytes.length - 1]) {
          const changed = Buffer.from(bytes);
          changed[at]! ^= 1;
          await expect(vault.unseal(altered({ [part]: changed.toString('base64') }))).rejects.toThrow('was altered');
        }
      }
      for (const nothing of [Buffer.alloc(0), altered({ nonce: '' }), altered({ more: 1 })])
        await expect(vault.unseal(nothing)).rejects.toThrow('nothing that a token sealed');
      expect(await vault.unseal(sealed)).toEqual(secret);
    });
  });

  it('signs the binding as evidence, with a key that stays the same', async () => {
    const binding = randomBytes(32);
    const evidence = await using({}, (vault) => vault.evidence(binding));
    expect(evidence.format).toBe('pkcs11/v1');
    const document = JSON.parse(evidence.document.toString()) as Pkcs11EvidenceDocument;
    const key = createPublicKey(document.publicKey);
    expect(
      createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('hex'),
    ).toBe(evidence.keyId);
    const signed = Buffer.concat([Buffer.from('agentwallet/pkcs11-evidence/v1\n'), binding]);
    const signature = Buffer.from(document.signature, 'base64');
    expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    expect(document.token).toMatchObject({
      label: hsm.tokenLabel,
      manufacturer: 'SoftHSM project',
      model: 'SoftHSM v2',
    });
    const again = await using({}, (vault) => vault.evidence(randomBytes(32)));
    expect(again.keyId).toBe(evidence.keyId);
    await using({}, (vault) => expect(vault.evidence(Buffer.alloc(33))).rejects.toThrow('a binding has 32 bytes'));
  });

  it('logs in again when the token let go of it', async () => {
    await using({}, async (vault) => {
      const sealed = await vault.seal(secret);
      const { default: names } = (await import('pkcs11js')) as unknown as { default: typeof Pkcs11Js };
      const calls = new names.PKCS11(hsm.modulePath);
      for (const slot of calls.C_GetSlotList(true)) calls.C_CloseAllSessions(slot);
      expect(await vault.unseal(sealed)).toEqual(secret);
    });
  });
});

describeWithHsm('a token that is not as it should be', () => {
  it('is opened with a wrong PIN: the error says so, without the PIN', async () => {
    const pinPath = path.join(path.dirname(hsm.pinPath), 'wrong-pin');
    await writeFile(pinPath, '8675309', { mode: 0o600 });
    const error = await opened({ pinPath }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VaultError);
    expect((error as Error).message).toContain('the PIN in the file of SIGNER_PKCS11_PIN_PATH is wrong');
    const { cause, stack, message } = error as Error;
    expect([message, stack, String(cause), JSON.stringify(cause), (cause as Error).stack].join()).not.toContain(
      '8675309',
    );
    await writeFile(pinPath, '\n');
    await expect(opened({ pinPath })).rejects.toThrow('is empty');
    await chmod(pinPath, 0o644);
    await expect(opened({ pinPath })).rejects.toThrow('make it 0600');
    await expect(opened({ pinPath: `${pinPath}-none` })).rejects.toThrow('cannot be read');
  });

  it('is not there, or twice', async () => {
    await expect(opened({ tokenLabel: 'unknown' })).rejects.toThrow('no token named "unknown"');
    await hsm.addToken('twin');
    await hsm.addToken('twin');
    await expect(opened({ tokenLabel: 'twin' })).rejects.toThrow('several tokens named "twin"');
  });

  it.each(['/nowhere/module.so', '/etc/hostname'])('has no module at %s', async (modulePath) => {
    await expect(opened({ modulePath })).rejects.toThrow('cannot be loaded as a PKCS #11 module');
  });

  it('is software, which production refuses', async () => {
    await expect(opened({ allowsSoftware: false })).rejects.toThrow('refused with NODE_ENV=production');
    expect((await opened()).isolation).toContain('no hardware');
  });
});

describeWithHsm('the PIN', () => {
  it('is nowhere in the heap once the vault is open', async () => {
    const program = `await (async () => {
      const { getHeapSnapshot } = await import('node:v8');
      await vault.unseal(await vault.seal(Buffer.alloc(32, 1)));
      const pin = (await import('node:fs')).readFileSync(choice.pinPath);
      const kept = ['kept', 'here'].join('-');
      let seen = { pin: false, kept: false };
      let text = Buffer.alloc(0);
      for await (const chunk of getHeapSnapshot()) {
        text = Buffer.concat([text.subarray(-64), Buffer.from(chunk)]);
        seen = { pin: seen.pin || text.includes(pin.subarray(0, -1)), kept: seen.kept || text.includes(kept) };
      }
      return JSON.stringify(seen);
    })()`;
    expect(JSON.parse(await inProcess(hsm, choice, program))).toEqual({ pin: false, kept: true });
  });
});
