import { describe, expect, it } from '@jest/globals';
import { walk } from './walk.mjs';

/** Returns a client whose results come one after the other, and the calls that it got. */
function scripted(...results) {
  const calls = [];
  const call = async (tool, given) => {
    calls.push({ tool, given });
    return results[Math.min(calls.length, results.length) - 1];
  };
  return { client: { call }, calls };
}

const result = (value) => ({ structuredContent: value, content: [{ type: 'text', text: JSON.stringify(value) }] });
const task = (...calls) => [{ name: 'pay', calls }];

async function outcome(client, tasks, given = {}) {
  const names = [];
  const values = await walk(client, tasks, { given, done: (name) => names.push(name) });
  return { values, names };
}

describe('walk', () => {
  it('passes values on from what is given and from earlier results', async () => {
    const { client, calls } = scripted(
      result({ handle: 'h', list: [{ id: 'first' }] }),
      result({ to: 'b', id: 'first' }),
    );
    const tasks = task(
      { tool: 'prepare', arguments: { to: '$to' }, expect: {}, keep: { handle: 'handle', id: 'list.0.id' } },
      { tool: 'execute', arguments: { handle: '$handle' }, expect: { to: '$to', id: '$id' } },
    );
    const { values, names } = await outcome(client, tasks, { to: 'b' });
    expect(calls).toEqual([
      { tool: 'prepare', given: { to: 'b' } },
      { tool: 'execute', given: { handle: 'h' } },
    ]);
    expect([values, names]).toEqual([{ to: 'b', handle: 'h', id: 'first' }, ['pay']]);
  });

  it('compares parts of a result, and every element of a list', async () => {
    const rows = { rows: [{ id: 1, more: true }, { id: 2 }] };
    const read = (expected) => outcome(scripted(result(rows)).client, task({ tool: 'read', expect: expected }));
    await expect(read({ rows: [{ id: 1 }, { id: 2 }] })).resolves.toMatchObject({ names: ['pay'] });
    for (const wrong of [{ rows: [{ id: 1 }] }, { rows: [{ id: 2 }, { id: 1 }] }, { rows: null }, { other: null }]) {
      await expect(read(wrong)).rejects.toThrow(/^pay: read: /);
    }
  });

  it('rejects a failed tool, and a text that differs from the structured content', async () => {
    const refused = { ...result({ code: 'POLICY' }), isError: true };
    const different = { ...result({ id: 1 }), structuredContent: { id: 2 } };
    const unstructured = { content: result({ id: 1 }).content };
    for (const wrong of [refused, different, unstructured]) {
      await expect(outcome(scripted(wrong).client, task({ tool: 'pay', expect: {} }))).rejects.toThrow(/^pay: pay: /);
    }
  });

  it('rejects a value to keep that is missing', async () => {
    const call = { tool: 'prepare', expect: {}, keep: { handle: 'handle' } };
    await expect(outcome(scripted(result({ handle: null })).client, task(call))).rejects.toThrow('handle must be text');
  });
});

describe('a result that may be late', () => {
  it('repeats its call, and no other call', async () => {
    const call = { tool: 'read', expect: { state: 'done' } };
    const late = scripted(result({ state: 'open' }), result({ state: 'done' }));
    await outcome(late.client, task({ ...call, isLate: true }));
    expect(late.calls).toHaveLength(2);
    const once = scripted(result({ state: 'open' }), result({ state: 'done' }));
    await expect(outcome(once.client, task(call))).rejects.toThrow(/^pay: read: /);
    expect(once.calls).toHaveLength(1);
  });
});
