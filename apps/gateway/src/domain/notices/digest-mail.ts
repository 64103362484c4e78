import { type RenderedMail, renderMail } from '../mail/render-mail.js';
import { DAILY_NOTICES } from './notice.js';

/** Returns a digest: the first of its notices, and the number of all. */
export function digestMail(briefs: readonly string[], count: number): RenderedMail {
  const more = count - briefs.length;
  return renderMail({
    subject: `Notice: ${count} more ${count === 1 ? 'notice' : 'notices'}`,
    heading: `A mailbox gets ${DAILY_NOTICES} notices a day by themselves. These came afterwards.`,
    items: [...briefs, ...(more > 0 ? [`and ${more} more`] : [])],
    paragraphs: [],
  });
}
