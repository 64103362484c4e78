/** Display of text that others chose in a notice. */

/** Characters of such a text that a notice shows. */
const MAX_QUOTED_CHARACTERS = 256;

/** Controls, invisible and bidirectional formats, fillers, halves of characters, private and unassigned ones, and line ends. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/**
 * Returns text in quotation marks, on one line. Characters that a reader would not see, or would see elsewhere, are
 * escaped by their number. So is text that a mail program or a reader of codes would take for more: `://` of a link,
 * and the space of `123456 is`.
 */
export function quoted(text: string): string {
  const characters = [...text];
  const shown = characters.slice(0, MAX_QUOTED_CHARACTERS).join('');
  const escaped = shown
    .replace(/["\\]/g, '\\$&')
    .replace(HIDDEN, escapeOf)
    .replace(/(?<=\d{6})\s(?=is\b)/gi, escapeOf)
    .replaceAll('://', ':\\u{2f}/');
  return characters.length > MAX_QUOTED_CHARACTERS ? `"${escaped}" (cut)` : `"${escaped}"`;
}

/** Returns a word that we decoded, such as an address or a number; quoted when it holds anything else. */
export function word(text: string): string {
  return /^[\w.,:@+/-]{1,256}$/.test(text) && !text.includes('://') ? text : quoted(text);
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
