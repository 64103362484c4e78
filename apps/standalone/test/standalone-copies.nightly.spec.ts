import { afterEach, expect, it } from '@jest/globals';
import { callJson } from '../src/index.js';
import { Copies, type Copy } from './harness/copies.js';

const copies = new Copies('main');

afterEach(() => copies.clean());

async function isAlive({ url }: Copy): Promise<boolean> {
  return (await callJson(`${url}/readyz`)).status === 200;
}

it('two copies of npm start run beside one another', async () => {
  const one = await copies.start(await copies.dataDir());
  const other = await copies.start(await copies.dataDir());
  expect([await isAlive(one), await isAlive(other)]).toEqual([true, true]);
});
