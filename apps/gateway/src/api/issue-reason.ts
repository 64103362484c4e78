import type { z } from 'zod';

/** JSON types as sentences name them; what JSON has none of is not listed. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  bigint: 'an integer',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'an array',
  tuple: 'an array',
  null: 'null',
};

/** Names of what a size counts. */
const COUNTED: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

/**
 * Returns what is wrong with a field, after its name in a sentence. Reasons that a schema gives are returned as they are;
 * in place of the validator's own texts stand ours.
 */
export const reasonOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return limit(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      return limit(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `must have the format ${issue.format}`;
    case 'unrecognized_keys':
      return 'must not have unknown fields';
    case 'invalid_union':
      return 'must have one of the documented forms';
    case 'invalid_key':
      return 'must have valid names of fields';
    case 'invalid_element':
      return 'must have valid entries';
    default:
      return 'is not valid';
  }
};

function limit(origin: string, comparison: string, value: number | bigint): string {
  const counted = COUNTED[origin];
  return counted ? `must have ${comparison} ${value} ${counted}` : `must be ${comparison} ${value}`;
}
