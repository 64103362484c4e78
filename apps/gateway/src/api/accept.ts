/**
 * Returns the quality of a variant, from 0 (unwanted) to 1, by an `Accept` or `Accept-Encoding` header. A variant that
 * the header does not name has the quality of `*`, or 0 without it.
 */
export function qualityOf(variant: string, header: string | undefined): number {
  const qualities = new Map((header ?? '').split(',').map(readPreference));
  return qualities.get(variant) ?? qualities.get('*') ?? 0;
}

/** Reads `br;q=0.5` as its name and quality; 1 where none is given. */
function readPreference(text: string): readonly [name: string, quality: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = given === undefined ? 1 : Number(given.slice(2));
  return [name, quality >= 0 && quality <= 1 ? quality : 0];
}
