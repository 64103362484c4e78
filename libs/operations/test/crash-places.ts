import type { CheckpointPoint } from '../src/index.js';

/** Where a process dies while it carries out one message. */
export const CRASH_PLACES: readonly CheckpointPoint[] = [
  'after-build',
  'after-reservation',
  'after-signing',
  'after-persisting',
  'after-broadcast',
  'after-landing',
  'before-answering',
];
