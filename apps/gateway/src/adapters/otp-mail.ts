import type { MailMessage } from '../domain/mail/mail-message.js';
import { type RenderedMail, renderMail } from '../domain/mail/render-mail.js';
import type { CodeUse } from '../domain/otp.js';
import type { OtpAsker, OtpMail } from '../ports/mailer.js';

/** Returns the mail with a code: its purpose, and its consequences. */
export function otpMail({ code, validMinutes, use, asker }: OtpMail): RenderedMail {
  const validity = validMinutes === 1 ? 'a minute' : `${validMinutes} minutes`;
  const { paragraphs, ...content } = contentOf(use, `It can be used once, within ${validity}.`);
  const unasked = 'If you did not ask for it, ignore this message and do not share the code.';
  return renderMail({ ...content, code, paragraphs: [...paragraphs, askerText(asker), unasked] });
}

function contentOf(use: CodeUse, usable: string): Omit<MailMessage, 'code'> {
  switch (use.purpose) {
    case 'login': {
      const named = `If this is the first login, only ${use.ownerEmail} can become the owner of the agent.`;
      return {
        subject: 'Your login code',
        heading: 'is your login code.',
        paragraphs: use.ownerEmail === undefined ? [usable] : [named, usable],
      };
    }
    case 'evict':
      return {
        subject: 'End all sessions of your agent',
        heading: 'is the code to end all sessions of your agent.',
        paragraphs: [`Every token of the agent stops working, and the agent has to log in again. ${usable}`],
      };
    case 'cancel_claim':
      return {
        subject: 'Cancel the claim of your agent',
        heading: 'is the code to cancel every claim of your agent that is not in effect yet.',
        paragraphs: [`Who asked to become its owner does not. ${usable}`],
      };
    case 'owner_login':
      return {
        subject: 'Your login code as an owner',
        heading: 'is your login code as an owner of agents.',
        paragraphs: [usable],
      };
    case 'claim':
      return {
        subject: 'Someone wants to become the owner of your agent',
        heading: 'is the code to claim the agent of this address.',
        paragraphs: [consequencesOfClaim(use.ownerEmail), usable],
      };
  }
}

function consequencesOfClaim(ownerEmail: string): string {
  return (
    `Anyone with this code can make ${ownerEmail} the owner of the agent: from then on only the owner can loosen the ` +
    `agent's policy. The claim of an agent that is older than an hour, or holds anything, takes effect later, and this ` +
    `address can cancel it until then.`
  );
}

function askerText({ network, isKnown, askedAt }: OtpAsker): string {
  const at = `${askedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const history = isKnown
    ? 'from which this mailbox has logged in before'
    : 'from which this mailbox has not logged in before';
  return `It was requested at ${at} from the network ${network}, ${history}.`;
}
