/**
 * Advisory locks of history's schema: the first of their two numbers, the second is the schema's. One list, so that no two
 * kinds of work take one lock for another.
 */
export const LOCKS = {
  /** Under which the log grows. */
  append: 7_214_004,
  /** Of the replica that has checkpoints signed. */
  checkpoint: 7_214_005,
  /** Of the one rebuild that may run. */
  rebuild: 7_214_006,
} as const;
