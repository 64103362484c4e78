import { sleep } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import type { Handle, Template } from 'pkcs11js';
import { VaultError } from '../../../ports/vault.js';
import type { TokenSession } from './token.js';
import { isGone } from './token-failure.js';

const ID_BYTES = 16;
const FIND_AT_MOST = 100;
const POLL_MS = 50;
/** Time after which candidates count as left by processes that are gone, in milliseconds. */
const TIMEOUT_MS = 20_000;
/** DER of the object identifier of P-256. */
const P256 = Buffer.from('06082a8648ce3d030107', 'hex');

/** A key of the token. */
export interface TokenKey {
  readonly handle: Handle;
  /** CKA_ID in hex: which of several keys it is, on any copy of the token. */
  readonly id: string;
}

/** A kind of key, and how it is made. */
interface KeyKind {
  readonly objectClass: (session: TokenSession) => number;
  readonly make: (session: TokenSession, both: Template) => Promise<unknown>;
}

/** Encrypts data keys with AES-256-GCM; never leaves the token, and wraps no other key. */
export const WRAPPING_KEY: KeyKind = {
  objectClass: ({ names }) => names.CKO_SECRET_KEY,
  make: ({ names, calls, handle }, both) =>
    calls.C_GenerateKeyAsync(handle, { mechanism: names.CKM_AES_KEY_GEN }, [
      ...both,
      { type: names.CKA_VALUE_LEN, value: 32 },
      { type: names.CKA_PRIVATE, value: true },
      { type: names.CKA_SENSITIVE, value: true },
      { type: names.CKA_EXTRACTABLE, value: false },
      { type: names.CKA_ENCRYPT, value: true },
      { type: names.CKA_DECRYPT, value: true },
      { type: names.CKA_WRAP, value: false },
      { type: names.CKA_UNWRAP, value: false },
    ]),
};

/** Signs evidence with ECDSA on P-256, which every token can; never leaves the token. */
export const EVIDENCE_KEY: KeyKind = {
  objectClass: ({ names }) => names.CKO_PRIVATE_KEY,
  make: ({ names, calls, handle }, both) =>
    calls.C_GenerateKeyPairAsync(
      handle,
      { mechanism: names.CKM_EC_KEY_PAIR_GEN },
      [...both, { type: names.CKA_EC_PARAMS, value: P256 }, { type: names.CKA_VERIFY, value: true }],
      [
        ...both,
        { type: names.CKA_PRIVATE, value: true },
        { type: names.CKA_SENSITIVE, value: true },
        { type: names.CKA_EXTRACTABLE, value: false },
        { type: names.CKA_SIGN, value: true },
      ],
    ),
};

/**
 * Returns the key of this label, created in the token when it has none. Processes that start together, on one machine
 * or many, agree on one key. Each creates a candidate and removes its own when it sees a lower one; the last candidate
 * becomes the key.
 * @throws VaultError for a key that can be taken out of the token
 */
export async function ensureKey(session: TokenSession, kind: KeyKind, label: string): Promise<TokenKey> {
  const find = (name: string) => findKeys(session, kind.objectClass(session), name)[0];
  const key = find(label) ?? (await makeKey(session, kind, label));
  refuseExtractable(session, key, label);
  return key;
}

/**
 * Returns the key with this CKA_ID; undefined when the token has none.
 * @throws VaultError for a key that can be taken out of the token
 */
export function keyOfId(session: TokenSession, kind: KeyKind, id: string): TokenKey | undefined {
  const { names } = session;
  const [handle] = findObjects(session, [
    { type: names.CKA_CLASS, value: kind.objectClass(session) },
    { type: names.CKA_ID, value: Buffer.from(id, 'hex') },
  ]);
  if (!handle) return undefined;
  refuseExtractable(session, { handle, id }, id);
  return { handle, id };
}

/** Returns the public half of an evidence key: an uncompressed point of P-256, 65 bytes. */
export function publicPointOf(session: TokenSession, { id }: TokenKey): Buffer {
  const { names, calls } = session;
  const [publicKey] = findObjects(session, [
    { type: names.CKA_CLASS, value: names.CKO_PUBLIC_KEY },
    { type: names.CKA_ID, value: Buffer.from(id, 'hex') },
  ]);
  if (!publicKey) throw new VaultError(`the token has lost the public half of the evidence key ${id}`);
  const [point] = calls.C_GetAttributeValue(session.handle, publicKey, [{ type: names.CKA_EC_POINT }]);
  // As the standard has it: the point within a DER OCTET STRING.
  return Buffer.from(point!.value).subarray(2);
}

async function makeKey(session: TokenSession, kind: KeyKind, label: string): Promise<TokenKey> {
  const { names, calls, handle } = session;
  const objectClass = kind.objectClass(session);
  const [candidateLabel, id] = [`${label} (candidate)`, randomBytes(ID_BYTES)];
  await kind.make(session, [
    { type: names.CKA_TOKEN, value: true },
    { type: names.CKA_LABEL, value: candidateLabel },
    { type: names.CKA_ID, value: id },
  ]);
  const until = performance.now() + TIMEOUT_MS;
  for (let wasAlone = false; ;) {
    // In this order: a candidate that is gone from the first list is the key, and in the second.
    const candidates = findKeys(session, objectClass, candidateLabel);
    const [chosen] = findKeys(session, objectClass, label);
    const isLowest = candidates[0]?.id === id.toString('hex');
    if (chosen || !isLowest) discard(session, id);
    if (chosen) return chosen;
    const isAlone = isLowest && candidates.length === 1;
    // Twice: a token of files may show a key that is just being renamed under neither name.
    if (isAlone && wasAlone) {
      for (const object of halvesOf(session, id)) {
        calls.C_SetAttributeValue(handle, object, [{ type: names.CKA_LABEL, value: label }]);
      }
      return findKeys(session, objectClass, label)[0]!;
    }
    if (performance.now() > until) {
      for (const left of candidates) discard(session, Buffer.from(left.id, 'hex'));
      return makeKey(session, kind, label);
    }
    wasAlone = isAlone;
    await sleep(POLL_MS);
  }
}

function discard(session: TokenSession, id: Buffer): void {
  for (const object of halvesOf(session, id)) {
    unlessGone(() => session.calls.C_DestroyObject(session.handle, object));
  }
}

/** Returns all objects of a key; the object that others look for comes last. */
function halvesOf(session: TokenSession, id: Buffer): Handle[] {
  const { names } = session;
  return [names.CKO_PUBLIC_KEY, names.CKO_PRIVATE_KEY, names.CKO_SECRET_KEY].flatMap((objectClass) =>
    findObjects(session, [
      { type: names.CKA_CLASS, value: objectClass },
      { type: names.CKA_ID, value: id },
    ]),
  );
}

/** Returns the keys of a label, the lowest ID first. */
function findKeys(session: TokenSession, objectClass: number, label: string): TokenKey[] {
  const { names, calls } = session;
  const handles = findObjects(session, [
    { type: names.CKA_CLASS, value: objectClass },
    { type: names.CKA_LABEL, value: label },
  ]);
  const keys = handles.flatMap((handle) => {
    const found = unlessGone(() => calls.C_GetAttributeValue(session.handle, handle, [{ type: names.CKA_ID }]));
    return found ? [{ handle, id: Buffer.from(found[0]!.value).toString('hex') }] : [];
  });
  return keys.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the result of a call; undefined when another process has removed its object since it was found. */
function unlessGone<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function findObjects({ calls, handle }: TokenSession, template: Template): Handle[] {
  calls.C_FindObjectsInit(handle, template);
  try {
    return calls.C_FindObjects(handle, FIND_AT_MOST);
  } finally {
    calls.C_FindObjectsFinal(handle);
  }
}

function refuseExtractable({ names, calls, handle }: TokenSession, key: TokenKey, label: string): void {
  const [sensitive, extractable] = calls.C_GetAttributeValue(handle, key.handle, [
    { type: names.CKA_SENSITIVE },
    { type: names.CKA_EXTRACTABLE },
  ]);
  const isSet = (attribute: unknown) => (attribute as { value: Buffer }).value[0] === 1;
  if (!isSet(sensitive) || isSet(extractable)) {
    throw new VaultError(`the key "${label}" can be taken out of the token: have another one made, not extractable`);
  }
}
