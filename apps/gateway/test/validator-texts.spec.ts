import { describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { z } from 'zod';
import { readInput } from '../src/api/read-input.js';
import { ROUTES } from '../src/api/routes.js';

/** The beginnings of the validator's own texts. */
const RAW = /Invalid|expected|received|Too (?:big|small)|Unrecognized/;

const WRONG = [null, true, 'x', '', [], {}, [[]], { x: {} }, ['x'], '\u0000', -1];

/** Returns the problems of a body in which every field has this value, and of the value as the body. */
function problemsOf(route: (typeof ROUTES)[number], value: unknown): string[] {
  const shape = route.body instanceof z.ZodObject ? (route.body.shape as object) : {};
  const query = route.query instanceof z.ZodObject ? (route.query.shape as object) : {};
  const filled = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, value]));
  return [filled(shape), value].flatMap((body) => {
    try {
      readInput(route, { params: {}, query: filled(query), body });
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.details.map(({ field, reason }) => `${field} ${reason}`);
    }
  });
}

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  it('refuses wrong types in texts of its own', () => {
    expect(WRONG.flatMap((value) => problemsOf(route, value)).filter((text) => RAW.test(text))).toEqual([]);
  });
});
