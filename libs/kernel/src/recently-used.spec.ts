import { expect, it } from '@jest/globals';
import { RecentlyUsed } from './recently-used.js';

it('makes a value once and forgets the one that was used longest ago', () => {
  const made: string[] = [];
  const values = new RecentlyUsed<string>(2);
  const get = (key: string) =>
    values.useOrMake(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  expect([get('a'), get('b'), get('a'), get('c'), get('a')]).toEqual(['A', 'B', 'A', 'C', 'A']);
  expect(made).toEqual(['a', 'b', 'c']);
  get('b');
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

it('keeps the latest value of a key, and no more values than it may', () => {
  const values = new RecentlyUsed<number>(2);
  ['a', 'b', 'a', 'c'].forEach((key, i) => values.keep(key, i));
  expect(values.count).toBe(2);
  expect(['a', 'b', 'c'].map((key) => values.use(key))).toEqual([2, undefined, 3]);
});

it('forgets what is dropped', () => {
  const values = new RecentlyUsed<number>(10);
  ['a', 'b', 'c', 'd'].forEach((key, i) => values.keep(key, i));
  values.drop('a');
  values.dropWhere((value) => value > 2);
  expect(['a', 'b', 'c', 'd'].map((key) => values.use(key))).toEqual([undefined, 1, 2, undefined]);
  values.clear();
  expect(values.count).toBe(0);
});
