import { DAILY_NOTICES } from './notice.js';

/** Returns a digest: the first of its notices, and the number of all. */
export function digestText(
  briefs: readonly string[],
  count: number,
): { readonly subject: string; readonly body: string } {
  const more = count - briefs.length;
  const lines = [
    `A mailbox gets ${DAILY_NOTICES} notices a day by themselves. These came afterwards.`,
    '',
    ...briefs.map((brief) => `- ${brief}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
  ];
  return { subject: `Notice: ${count} more ${count === 1 ? 'notice' : 'notices'}`, body: lines.join('\n') };
}
