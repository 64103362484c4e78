// Users with networks and mailboxes of their own, at services whose limits are the defaults.
import { Deployment } from '@agent-wallet/standalone/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { closing } from '../../measuring/closing.mjs';
import { closedLoop } from '../measure/load.mjs';
import { openHttpCaller } from '../traffic/http-caller.mjs';

const LOGINS_AT_ONCE = 4;
const CONNECTIONS = 512;
const MAIL_WITHIN_MS = 10_000;
const MAIL_LOOK_MS = 20;

/** The status of an answer that no mail has followed. */
export const NO_MAIL = 'no mail';

/** Every limit has its default, and each user says whose network it is. */
const DEFAULTS = {
  TRUSTED_PROXIES: '127.0.0.1',
  // The sandbox raises these; without a value the gateway has its own.
  RATE_LIMIT_OTP_START_PER_10_MINUTES: undefined,
  RATE_LIMIT_OTP_ADDRESSES_PER_HOUR: undefined,
  RATE_LIMIT_OTP_MAILBOX_PER_HOUR: undefined,
};

/** The chain's own slot time, so that a ratio compares what users see. */
const SLOT_MS = 400;

/** Starts services and sandbox, and connections to the public API. @param environment what is not the default */
export async function startWithDefaults(environment = {}) {
  const deployment = await Deployment.start({ slotMs: SLOT_MS, environment: { ...DEFAULTS, ...environment } });
  closing(deployment, () => deployment.stop());
  const caller = openHttpCaller(deployment.url(), CONNECTIONS);
  closing(caller, () => caller.close());
  return Object.assign(deployment, { post: caller.post });
}

/** Lists the users of one victim: several where one address may ask for too few codes. */
export function victimsOf(count) {
  return Array.from({ length: count }, (_, n) => ({
    email: `victim-${n}@victims.example`,
    client: `198.18.${n}.7`,
  }));
}

/** Lists the attackers of one cell, each in a /24 of its own. */
export function attackersOf(count, cell) {
  return Array.from({ length: count }, (_, n) => ({
    email: `attacker-${cell}-${n}@attackers.example`,
    client: `10.${cell}.${n}.7`,
  }));
}

/** Posts as a user; `{ status, text }`, with the failure as text where there was no answer. */
export async function postAs(deployment, user, path, body) {
  const headers = {
    'x-forwarded-for': user.client,
    'idempotency-key': randomUUID(),
    ...(user.token ? { authorization: `Bearer ${user.token}` } : {}),
  };
  return deployment
    .post(path, JSON.stringify(body), headers)
    .catch((error) => ({ status: 0, text: error.code ?? String(error) }));
}

/** Logs users in, which makes their wallets and makes their networks known: `token` and `address`. */
export async function logInAll(deployment, users) {
  let next = 0;
  const call = async () => {
    const user = users[next++];
    const done = await askByMail(deployment, user, 'login');
    if (done.status !== 200) throw new Error(`${user.email} could not log in: ${done.status} ${done.text}`);
    const { sessionToken, chainAddress } = JSON.parse(done.text).data;
    Object.assign(user, { token: sessionToken, address: chainAddress });
  };
  await closedLoop({ callers: LOGINS_AT_ONCE, calls: users.length, call });
}

const PURPOSES = {
  login: { path: '/connect/complete', code: /^(\d{6}) is your login code/m },
  evict: { path: '/connect/evict', code: /^(\d{6}) is the code to end/m },
};

/** Asks for a code, waits for its mail and spends it; answers as the last request was answered. */
export async function askByMail(deployment, user, purpose) {
  const { path, code } = PURPOSES[purpose];
  const before = (await codesOf(deployment, user, code)).length;
  const started = await postAs(deployment, user, '/connect/start', { email: user.email, purpose });
  if (started.status !== 200) return started;
  const endMs = performance.now() + MAIL_WITHIN_MS;
  for (;;) {
    const codes = await codesOf(deployment, user, code);
    if (codes.length > before) {
      const { otpId } = JSON.parse(started.text).data;
      return postAs(deployment, user, path, { email: user.email, otpId, otpCode: codes[0] });
    }
    if (performance.now() > endMs) return { status: NO_MAIL, text: started.text };
    await sleep(MAIL_LOOK_MS);
  }
}

/** Lists the codes that the user's own network has asked for, newest first: a mail names the network. */
async function codesOf({ sandbox }, { email, client }, code) {
  const response = await fetch(`${sandbox.adminUrl}/inbox?to=${encodeURIComponent(email)}`);
  const network = client.replace(/\d+$/, '0/24');
  const { messages } = await response.json();
  return messages.flatMap(({ text }) => (text.includes(network) ? (code.exec(text)?.[1] ?? []) : []));
}
