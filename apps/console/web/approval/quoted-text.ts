/** Largest number of characters of a stranger's text that is shown at first. */
export const SHOWN_CHARACTERS = 256;

/** Characters that are not seen, or change what is seen around them: control, format, separators, tags, fillers. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFFA0\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;
/** Spaces that are not the ordinary one. */
const ODD_SPACES = /[^\S ]/gu;

/** A stranger's text, safe to show. */
export interface QuotedText {
  readonly shown: string;
  /** Characters that are not shown. */
  readonly cut: number;
}

/** Replaces each hidden or bidirectional character by its code: ⟦U+202E⟧. The brackets themselves are replaced, too. */
export function escapeHidden(text: string): string {
  return text.replace(/[⟦⟧]/gu, codeOf).replace(HIDDEN, codeOf).replace(ODD_SPACES, codeOf);
}

/** Makes a text of several lines safe to show. */
export function quotedLines(text: string): string {
  return text.split('\n').map(escapeHidden).join('\n');
}

function codeOf(character: string): string {
  return `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

/** Makes a stranger's text safe to show, at most so many characters of it. */
export function quotedText(text: string, max = SHOWN_CHARACTERS): QuotedText {
  const characters = [...text];
  return { shown: escapeHidden(characters.slice(0, max).join('')), cut: Math.max(0, characters.length - max) };
}
