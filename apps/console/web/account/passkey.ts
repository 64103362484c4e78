import { startRegistration } from '@simplewebauthn/browser';
import { type Api, dataOf } from '../api/client.js';
import { checkLoginDocument } from '../approval/decode-document.js';
import { signDocument } from '../approval/sign.js';

/** Logs in with the passkey, over a document that can be nothing but a login here. */
export async function logInByPasskey(api: Api): Promise<void> {
  const { document } = await dataOf(api.GET('/owner/login/challenge'));
  checkLoginDocument(document, location.origin);
  const assertion = await signDocument(document);
  await dataOf(api.POST('/owner/login/passkey', { body: { document, assertion } }));
}

/** Makes a passkey. Returns the approval that adds it, unless it is the first one. */
export async function makePasskey(api: Api): Promise<string | undefined> {
  const { publicKey } = await dataOf(api.POST('/owner/passkeys/options', { body: {} }));
  if (publicKey.rp.id !== location.hostname) throw new Error('the passkey would be for another site');
  const registration = await startRegistration({
    optionsJSON: {
      ...publicKey,
      excludeCredentials: publicKey.excludeCredentials.map(({ id }) => ({ id, type: 'public-key' as const })),
    },
  });
  const made: object = await dataOf(api.POST('/owner/passkeys', { body: { registration } }));
  return 'approval' in made ? (made.approval as { id: string }).id : undefined;
}
