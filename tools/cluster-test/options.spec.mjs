import { describe, expect, it } from '@jest/globals';
import { readOptions, STAGES } from './options.mjs';

describe('options', () => {
  it('are all stages and a seed when nothing is asked for', () => {
    expect(readOptions([])).toMatchObject({ stages: STAGES, down: false, 'kill-seconds': 300 });
    expect(readOptions([]).seed).toBeGreaterThanOrEqual(0);
  });

  it('pick and leave out stages, which keep their order', () => {
    expect(readOptions(['demo', 'up']).stages).toEqual(['up', 'demo']);
    expect(readOptions(['--skip', 'up', '--skip', 'images']).stages).toEqual(STAGES.slice(2));
    expect(readOptions(['down'])).toMatchObject({ stages: [], down: true });
  });

  it('that are unknown are refused', () => {
    expect(() => readOptions(['dmeo'])).toThrow('no stage dmeo');
    expect(() => readOptions(['--agents', 'many'])).toThrow('--agents');
    expect(() => readOptions(['--service', 'walet'])).toThrow('no service walet');
  });
});
