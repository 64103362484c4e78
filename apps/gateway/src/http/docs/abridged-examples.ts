import { ADDRESS_PATTERN } from '../../api/schemas/units.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

/** Fields that were shown before, and where. */
interface Shown {
  readonly place: string;
  readonly fields: JsonObject;
}

/** Fewer fields are shown again. */
const FEW_FIELDS = 5;
const LONG_WORD = /[\w+/=-]{32,}/g;
const LONG_TEXT = 24;
const CUT_TEXT = 12;

/** Fields that name whom the agent pays: an example must not. */
const OTHERS: ReadonlySet<string> = new Set(['to', 'recipient']);
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Suffixes of fields that repeat a value in another form, beside the field of the same stem. */
const TWIN = /^(\w+)(?:Raw|Dollars)$/;

/**
 * Examples as skill.md shows them, in its order: long values are cut, addresses of recipients are cut out, fields that stood in an
 * earlier example are replaced by a reference to it, lists have one entry, and what is empty or the exact twin of a field is left out.
 */
export class AbridgedExamples {
  readonly #shown: Shown[];

  /** @param known fields that the document shows elsewhere */
  constructor(known: Shown) {
    this.#shown = [known];
  }

  /** Returns the `data` of a response on one line. */
  response(route: string, data: Json): string {
    const text = JSON.stringify(this.#abridge(data, ''));
    this.#remember(data, route);
    return text;
  }

  /** Returns the body of a request on one line. */
  request(body: Json): string {
    return JSON.stringify(this.#abridge(body, ''));
  }

  #abridge(value: Json, name: string): Json {
    if (typeof value === 'string') return abridgedText(value, name);
    if (Array.isArray(value)) return value.slice(0, 1).map((entry: Json) => this.#abridge(entry, name));
    if (!isObject(value)) return value;
    const known = this.#largestPartOf(value);
    const own = Object.entries(value).filter(
      ([field, part]) => !Object.hasOwn(known?.fields ?? {}, field) && !isTwin(field, value) && !isEmpty(part),
    );
    const reference: JsonObject = known ? { '…': `as in ${known.place}` } : {};
    return { ...reference, ...Object.fromEntries(own.map(([field, part]) => [field, this.#abridge(part, field)])) };
  }

  #largestPartOf(value: JsonObject): Shown | undefined {
    const parts = this.#shown.filter(({ fields }) =>
      Object.entries(fields).every(([name, part]) => JSON.stringify(part) === JSON.stringify(value[name])),
    );
    return parts.sort((a, b) => Object.keys(b.fields).length - Object.keys(a.fields).length)[0];
  }

  #remember(value: Json, place: string): void {
    if (Array.isArray(value)) value.forEach((entry: Json) => this.#remember(entry, place));
    if (!isObject(value)) return;
    if (Object.keys(value).length >= FEW_FIELDS) this.#shown.push({ place, fields: value });
    for (const part of Object.values(value)) this.#remember(part, place);
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

function isTwin(field: string, siblings: JsonObject): boolean {
  const stem = TWIN.exec(field)?.[1];
  return stem !== undefined && [stem, `${stem}Cents`].some((sibling) => Object.hasOwn(siblings, sibling));
}

function abridgedText(text: string, name: string): string {
  if (OTHERS.has(name) && ADDRESS_PATTERN.test(text)) return '<address of the recipient>';
  if (TIME.test(text)) return `${text.slice(0, 11)}…`;
  const short = text.replace(LONG_WORD, (word) => `${word.slice(0, 4)}…`);
  return short.length > LONG_TEXT ? `${short.slice(0, CUT_TEXT)}…` : short;
}

/** Fields that all of these examples have with the same values. */
export function sharedFields([first = {}, ...others]: readonly JsonObject[]): JsonObject {
  const isShared = ([name, value]: [string, Json]) =>
    others.every((other) => JSON.stringify(other[name]) === JSON.stringify(value));
  return Object.fromEntries(Object.entries(first).filter(isShared));
}
