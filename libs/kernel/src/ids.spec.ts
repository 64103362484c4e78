import { describe, expect, it } from '@jest/globals';
import { firstIdAt, idOf, isUuid, newId, NIL_UUID, packIds, unpackIds } from './ids.js';

describe('ids', () => {
  it('are UUIDs of version 7 that sort by the time they were made', () => {
    const ids = Array.from({ length: 1_000 }, newId);
    expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('made before a time sort before the first id of it, and later ones after', () => {
    const before = Date.now();
    const id = newId();
    expect(isUuid(firstIdAt(before))).toBe(true);
    expect(firstIdAt(before) <= id && id < firstIdAt(Date.now() + 1)).toBe(true);
  });

  it('of a name are the same for the same parts only', () => {
    expect(idOf('move', 'a', 1, 2)).toBe(idOf('move', 'a', 1, 2));
    expect(isUuid(idOf('move', 'a', 1, 2))).toBe(true);
    const names = [
      ['move', 'a', 1, 2],
      ['move', 'a', 12],
      ['move', 'a', 1, 1],
      ['move', 'a1', 2],
      ['mov', 'ea', 1, 2],
    ];
    expect(new Set(names.map((parts) => idOf(...parts))).size).toBe(names.length);
    expect(() => idOf('move', 'a\n1', 2)).toThrow(TypeError);
  });

  it('of a name never change: rows that were made under them would be made once more', () => {
    expect(idOf('move', '0190a0b0-0000-7000-8000-000000000001', 1, 1)).toBe('6c26b510-596c-59b4-899b-2192adcd476f');
  });

  it('take 16 bytes each when packed, and are the same after it', () => {
    const ids = Array.from({ length: 3 }, newId);
    expect(packIds(ids)).toHaveLength(48);
    expect(unpackIds('agentIds', packIds(ids))).toEqual(ids);
  });

  it.each(['', 'agent', NIL_UUID.slice(1)])('are not packed with %j among them', (text) => {
    expect(() => packIds([newId(), text])).toThrow(TypeError);
  });

  it.each([
    ['a part of a UUID', packIds([newId()]).subarray(1)],
    ['bytes that are no UUID', Buffer.alloc(16, 0x11)],
  ])('are refused as %s', (_, packed) => {
    expect(() => unpackIds('agentIds', packed)).toThrow('agentIds');
  });

  it.each(['', 'agent', '0190-0000', "'; drop table agents; --"])('are not %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
