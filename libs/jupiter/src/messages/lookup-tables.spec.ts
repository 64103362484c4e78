import { addressBytes } from '@agent-wallet/solana/checks';
import { describe, expect, it } from '@jest/globals';
import { walletOf } from '../testing/actors.js';
import { compile } from '../testing/draft.js';
import { scenarios } from '../testing/scenarios.js';
import { lookupTablesOf, resolvedAddressesHash, resolveLookups, UnresolvedLookups } from './lookup-tables.js';

const { draft } = scenarios(walletOf('wallet')).find(({ name }) => name === 'three legs, tables')!;
const { message, resolvedAddresses } = compile(draft);

function tableData(entries: readonly string[], deactivationSlot = 2n ** 64n - 1n, kind = 1): Buffer {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(kind, 0);
  head.writeBigUInt64LE(deactivationSlot, 4);
  return Buffer.concat([head, ...entries.map(addressBytes)]);
}

const tables = new Map([...draft.tables].map(([table, entries]) => [table, tableData(entries)]));
const [first, second] = [...draft.tables.keys()] as [string, string];

describe('lookup tables', () => {
  it('are named in the order of the message', () => {
    expect(lookupTablesOf(message)).toEqual([first, second]);
  });

  it('give the writable addresses of all, then the readonly ones', () => {
    expect(resolveLookups(message, tables).map(String)).toEqual(resolvedAddresses.map(String));
    expect(resolveLookups(compile({ ...draft, tables: new Map() }).message, new Map())).toEqual([]);
  });

  it.each([
    ['missing', undefined],
    ['too short by one entry', tableData(draft.tables.get(second)!.slice(0, -1))],
    ['cut within an entry', tableData(draft.tables.get(second)!).subarray(0, -1)],
    ['being closed', tableData(draft.tables.get(second)!, 5n)],
    ['no table', tableData(draft.tables.get(second)!, undefined, 0)],
    ['empty', Buffer.alloc(0)],
  ])('are refused when one is %s', (_, data) => {
    const others = new Map([...tables].filter(([table]) => table !== second));
    const given = data ? others.set(second, data) : others;
    expect(() => resolveLookups(message, given)).toThrow(UnresolvedLookups);
  });

  it('have one hash for their order', () => {
    expect(resolvedAddressesHash([]).toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(resolvedAddressesHash([...resolvedAddresses].reverse())).not.toEqual(
      resolvedAddressesHash(resolvedAddresses),
    );
  });
});
