import { startRegistration } from '@simplewebauthn/browser';
import { type Api, dataOf } from '../api/client.js';
import { checkLoginDocument } from '../approval/decode-document.js';
import type { components } from '../generated/owner-api.js';
import { signDocument } from '../approval/sign.js';

type CreationOptions = components['schemas']['PasskeyCreationOptions'];

/** Logs in with the passkey, over a document that can be nothing but a login here. */
export async function logInByPasskey(api: Api): Promise<void> {
  const { document } = await dataOf(api.GET('/owner/login/challenge'));
  checkLoginDocument(document, location.origin);
  const assertion = await signDocument(document);
  await dataOf(api.POST('/owner/login/passkey', { body: { document, assertion } }));
}

/** Makes a passkey. Returns the approval that adds it, unless it is the first one. */
export async function makePasskey(api: Api): Promise<string | undefined> {
  const registration = await register((await dataOf(api.POST('/owner/passkeys/options', { body: {} }))).publicKey);
  const made: object = await dataOf(api.POST('/owner/passkeys', { body: { registration } }));
  return 'approval' in made ? (made.approval as { id: string }).id : undefined;
}

/** Makes a passkey that is to replace lost ones. Returns the approval of that. */
export async function recoverPasskeys(api: Api): Promise<string> {
  const registration = await register((await dataOf(api.POST('/owner/recovery/start', { body: {} }))).publicKey);
  return (await dataOf(api.POST('/owner/recovery', { body: { registration } }))).approval.id;
}

async function register(publicKey: CreationOptions) {
  if (publicKey.rp.id !== location.hostname) throw new Error('the passkey would be for another site');
  return startRegistration({
    optionsJSON: {
      ...publicKey,
      excludeCredentials: publicKey.excludeCredentials.map(({ id }) => ({ id, type: 'public-key' as const })),
    },
  });
}
