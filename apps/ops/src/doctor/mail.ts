import { Secret } from '@agent-wallet/kernel';
import { setting } from '@agent-wallet/platform';
import { createTransport } from 'nodemailer';
import { type Check, defineCheck, ok, originOf } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';

const login = defineCheck({
  name: 'login',
  area: 'mail',
  settings: { SMTP_URL: setting.url('smtp', 'smtps').transform((text) => new Secret(text)) },
  advice: 'Check SMTP_URL, its user and its password: docs/runbooks/mails-not-sent.md.',
  async run({ SMTP_URL: secret }) {
    const url = secret.reveal();
    const limits = {
      connectionTimeout: CHECK_LIMIT_MS,
      greetingTimeout: CHECK_LIMIT_MS,
      socketTimeout: CHECK_LIMIT_MS,
    };
    const transport = createTransport({ url, ...limits });
    try {
      await transport.verify();
    } finally {
      transport.close();
    }
    const takesLogin = new URL(url).username ? 'accepts the login' : 'takes mail without a login';
    return ok(`${originOf(url)} ${takesLogin}`);
  },
});

/** Checks of the mail server. */
export const MAIL_CHECKS: readonly Check[] = [login];
