import type { OtpAsker, OtpMail } from '../ports/mailer.js';

/** Returns subject and text of the mail with a code: its purpose, and its consequences. */
export function otpText({ code, validMinutes, use, asker }: OtpMail): {
  readonly subject: string;
  readonly text: string;
} {
  const validity = validMinutes === 1 ? 'a minute' : `${validMinutes} minutes`;
  const usable = `It can be used once, within ${validity}.`;
  const unasked = `${askerText(asker)}\n\nIf you did not ask for it, ignore this message and do not share the code.`;
  switch (use.purpose) {
    case 'login':
      return {
        subject: 'Your login code',
        text:
          `${code} is your login code.\n\n` +
          (use.ownerEmail === undefined
            ? ''
            : `If this is the first login, only ${use.ownerEmail} can become the owner of the agent.\n\n`) +
          `${usable}\n\n${unasked}\n`,
      };
    case 'evict':
      return {
        subject: 'End all sessions of your agent',
        text:
          `${code} is the code to end all sessions of your agent.\n\n` +
          `Every token of the agent stops working, and the agent has to log in again. ${usable}\n\n${unasked}\n`,
      };
    case 'cancel_claim':
      return {
        subject: 'Cancel the claim of your agent',
        text:
          `${code} is the code to cancel every claim of your agent that is not in effect yet.\n\n` +
          `Who asked to become its owner does not. ${usable}\n\n${unasked}\n`,
      };
    case 'owner_login':
      return {
        subject: 'Your login code as an owner',
        text: `${code} is your login code as an owner of agents.\n\n${usable}\n\n${unasked}\n`,
      };
    case 'claim':
      return {
        subject: 'Someone wants to become the owner of your agent',
        text:
          `${code} is the code to claim the agent of this address.\n\n` +
          `Anyone with this code can make ${use.ownerEmail} the owner of the agent: from then on only the owner can loosen the ` +
          `agent's policy. The claim of an agent that is older than an hour, or holds anything, takes effect later, and this ` +
          `address can cancel it until then.\n\n${usable}\n\n${unasked}\n`,
      };
  }
}

function askerText({ network, isKnown, askedAt }: OtpAsker): string {
  const at = `${askedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const history = isKnown
    ? 'from which this mailbox has logged in before'
    : 'from which this mailbox has not logged in before';
  return `It was requested at ${at} from the network ${network}, ${history}.`;
}
