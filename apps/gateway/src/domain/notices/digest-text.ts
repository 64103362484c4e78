import { DAILY_NOTICES } from './notice.js';

/** A digest: the first notices that it is for, and how many there are. */
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
