import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { reasonOf } from './issue-reason.js';

type Code = z.core.$ZodIssue['code'];

/** A schema and a value for each code of the validator; the compiler asks for those that are missing. */
const ISSUES: Readonly<Record<Code, ReadonlyArray<readonly [z.ZodType, unknown, string]>>> = {
  invalid_type: [
    [z.object({}), 'x', 'must be a JSON object'],
    [z.record(z.string(), z.string()), 7, 'must be a JSON object'],
    [z.array(z.string()), {}, 'must be an array'],
    [z.tuple([z.string()]), 'x', 'must be an array'],
    [z.string(), 7, 'must be a string'],
    [z.number(), '7', 'must be a number'],
    [z.int(), 1.5, 'must be an integer'],
    [z.bigint(), 7, 'must be an integer'],
    [z.boolean(), 'true', 'must be true or false'],
    [z.null(), 0, 'must be null'],
    [z.date(), 'x', 'must be of another type'],
  ],
  invalid_value: [
    [z.enum(['yes', 'no']), 'maybe', 'must be one of yes, no'],
    [z.literal('SOL'), 'USDC', 'must be SOL'],
    [z.literal([1, 2]), 3, 'must be one of 1, 2'],
  ],
  too_big: [
    [z.string().max(3), 'four', 'must have at most 3 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entries'],
    [z.number().max(3), 4, 'must be at most 3'],
    [z.number().lt(3), 3, 'must be less than 3'],
  ],
  too_small: [
    [z.string().min(3), 'ab', 'must have at least 3 characters'],
    [z.array(z.string()).min(1), [], 'must have at least 1 entries'],
    [z.number().gt(0), 0, 'must be more than 0'],
    [z.bigint().min(5n), 4n, 'must be at least 5'],
  ],
  invalid_format: [
    [z.uuid(), 'x', 'must have the format uuid'],
    [z.string().regex(/a/), 'x', 'must have the format regex'],
    [z.iso.datetime(), 'x', 'must have the format datetime'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 7, 'must be a multiple of 5']],
  unrecognized_keys: [[z.strictObject({}), { x: 1 }, 'must not have unknown fields']],
  invalid_union: [[z.union([z.string(), z.number()]), true, 'must have one of the documented forms']],
  invalid_key: [[z.record(z.enum(['a']).or(z.uuid()), z.string()), { b: 'x' }, 'must have valid names of fields']],
  invalid_element: [[z.map(z.date(), z.string()), new Map([[new Date(0), 7]]), 'must have valid entries']],
  custom: [[z.string().refine(() => false), 'x', 'is not valid']],
};

describe.each(Object.keys(ISSUES) as Code[])('an issue %s', (code) => {
  it.each(ISSUES[code])('of %# reads as one of our own sentences', (schema, value, reason) => {
    const issues = schema.safeParse(value, { error: reasonOf }).error?.issues;
    expect(issues?.map((issue) => [issue.code, issue.message])).toContainEqual([code, reason]);
  });

  it('keeps the reason that its schema gives', () => {
    const given = z.unknown().superRefine((_, context) => void context.addIssue('has a reason of its own'));
    expect(given.safeParse(1, { error: reasonOf }).error?.issues[0]?.message).toBe('has a reason of its own');
    expect(z.string('must be text').safeParse(1, { error: reasonOf }).error?.issues[0]?.message).toBe('must be text');
  });
});
