import type { components } from './generated/api.js';
import { writeBody } from './amounts.js';
import { Transport } from './transport.js';
import { AgentWallet, type WalletOptions } from './wallet.js';

type Schemas = components['schemas'];

/** A login whose code is on its way. */
export interface StartedLogin {
  readonly email: string;
  readonly otpId: string;
}

/** A wallet and the session that was begun for it. */
export interface LoggedIn {
  readonly wallet: AgentWallet;
  readonly session: Schemas['CompletedLogin'];
}

/** Mails a login code to an address. The first login of an address creates its wallet. */
export async function startLogin(options: WalletOptions, email: string): Promise<StartedLogin> {
  const { otpId } = (await post(options, '/connect/start', { email })) as Schemas['StartedLogin'];
  return { email, otpId };
}

/** Exchanges a mailed code for a session. @throws ApiError AUTHENTICATION_ERROR for a wrong code */
export async function completeLogin(options: WalletOptions, login: StartedLogin, otpCode: string): Promise<LoggedIn> {
  const session = (await post(options, '/connect/complete', { ...login, otpCode })) as Schemas['CompletedLogin'];
  return { wallet: new AgentWallet(options, session.sessionToken), session };
}

/**
 * Logs in by mail.
 * @param readCode returns the code of the mail: a prompt, or a program that reads the inbox
 */
export async function logIn(
  options: WalletOptions,
  email: string,
  readCode: (login: StartedLogin) => Promise<string>,
): Promise<LoggedIn> {
  const login = await startLogin(options, email);
  return completeLogin(options, login, await readCode(login));
}

async function post(options: WalletOptions, path: string, body: object): Promise<unknown> {
  const call = { method: 'POST', path, body: writeBody(body), repeatable: false } as const;
  return (await new Transport(options).request(call)).data;
}
