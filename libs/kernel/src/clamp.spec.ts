import { expect, it } from '@jest/globals';
import { clamp } from './clamp.js';

it.each([
  [4, 5],
  [5, 5],
  [7, 7],
  [9, 9],
  [10, 9],
])('clamp keeps %d from 5 to 9 as %d', (value, clamped) => {
  expect(clamp(value, 5, 9)).toBe(clamped);
});
