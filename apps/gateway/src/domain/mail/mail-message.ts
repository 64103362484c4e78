/** A mail's content, from which its text and its HTML are both rendered. Texts that others chose are quoted already. */
export interface MailMessage {
  /** The HTML's title, too. */
  readonly subject: string;
  /** A one-time code. The heading goes on from it: `123456 is your login code.` */
  readonly code?: string;
  /** Sentence that states the subject. */
  readonly heading: string;
  readonly facts?: readonly MailFact[];
  /** Entries of a list. */
  readonly items?: readonly string[];
  /** The page on which the reader can act. */
  readonly link?: MailLink | undefined;
  /** Paragraphs at the end; the first one belongs to the link. */
  readonly paragraphs: readonly string[];
}

/** A name and a value. */
export type MailFact = readonly [name: string, value: string];

/** A page, and the words on its button in HTML. */
export interface MailLink {
  readonly url: string;
  readonly label: string;
}
