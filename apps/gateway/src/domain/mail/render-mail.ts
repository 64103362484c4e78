import { mailHtml } from './mail-html.js';
import type { MailMessage } from './mail-message.js';

/** A mail as it is sent. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a mail in both forms. */
export function renderMail(message: MailMessage): RenderedMail {
  return { subject: message.subject, text: mailText(message), html: mailHtml(message) };
}

function mailText({ code, heading, facts = [], items = [], link, paragraphs }: MailMessage): string {
  const [advice, ...others] = paragraphs;
  const blocks = [
    code === undefined ? heading : `${code} ${heading}`,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    items.map((item) => `- ${item}`).join('\n'),
    [link?.url, advice].filter((line) => line !== undefined).join('\n'),
    ...others,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
