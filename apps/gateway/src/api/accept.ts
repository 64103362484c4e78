/** A name in a list of preferences, with its quality from 0 (unwanted) to 1. */
interface Preference {
  readonly name: string;
  readonly hasParameters: boolean;
  readonly quality: number;
}

/**
 * Returns the quality of a coding, from 0 to 1, by an `Accept-Encoding` header. A coding that the header does not name
 * has the quality of `*`, or 0 without it.
 */
export function qualityOf(coding: string, header: string | undefined): number {
  const qualities = new Map(readPreferences(header).map(({ name, quality }) => [name, quality]));
  return qualities.get(coding) ?? qualities.get('*') ?? 0;
}

/**
 * Returns the quality of a media type, from 0 to 1, by an `Accept` header (RFC 9110, section 12.5.1). The most specific
 * range that matches counts; without a header every type is as good.
 */
export function mediaQualityOf(type: string, header: string | undefined): number {
  const preferences = readPreferences(header);
  if (preferences.length === 0) return 1;
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  const matches = ranges.map((range) => preferences.filter(({ name }) => name === range));
  const best = matches.find((each) => each.length > 0) ?? [];
  // A range with parameters, such as a profile, says less about the type than one without.
  const plain = best.filter(({ hasParameters }) => !hasParameters);
  return Math.max(0, ...(plain.length > 0 ? plain : best).map(({ quality }) => quality));
}

/** Parts of a list and of a preference: a quoted text may contain the separator. */
const ELEMENTS = /(?:[^,"]|"(?:\\.|[^"\\])*")+/g;
const PARAMETERS = /(?:[^;"]|"(?:\\.|[^"\\])*")+/g;

const QUALITY = /^(?:0|1)(?:\.\d*)?$/;

function readPreferences(header = ''): readonly Preference[] {
  return (header.match(ELEMENTS) ?? []).filter((element) => element.trim() !== '').map(readPreference);
}

/** Reads `br;q=0.5` as its name and quality: 1 where none is given, 0 where it is malformed. */
function readPreference(element: string): Preference {
  const [name = '', ...parameters] = (element.match(PARAMETERS) ?? []).map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = weight === undefined ? 1 : QUALITY.test(weight) ? Number(weight) : 0;
  return { name, hasParameters: parameters.length > Number(weight !== undefined), quality: quality <= 1 ? quality : 0 };
}
