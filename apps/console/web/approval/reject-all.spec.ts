import { expect, it } from '@jest/globals';
import { byAgent, rejectAll, type Rejecting } from './reject-all.js';

it('rejects each approval once, goes on after a failure, and names what failed', async () => {
  const asked: string[] = [];
  const steps: Rejecting[] = [];
  const reject = (id: string) => {
    asked.push(id);
    return id === 'b' ? Promise.reject(new Error('closed')) : Promise.resolve();
  };
  const last = await rejectAll(['a', 'b', 'c'], reject, (step) => steps.push(step));
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(steps.map(({ done, failed }) => [done, failed])).toEqual([
    [0, []],
    [1, []],
    [2, ['b']],
    [3, ['b']],
  ]);
  expect(last).toEqual({ done: 3, of: 3, failed: ['b'] });
});

it('groups approvals by agent, without those of none', () => {
  const [one, other, again, none] = [{ agentId: '1' }, { agentId: '2' }, { agentId: '1' }, { agentId: null }];
  expect(byAgent([one, other, again, none])).toEqual([
    ['1', [one, again]],
    ['2', [other]],
  ]);
});
