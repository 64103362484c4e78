import type { AttemptKey } from '../domain/attempt.js';

/** Block heights as policy read them. */
export interface HeadLog {
  /** Reads the head, and notes it with the times around the reading. */
  observe(read: () => Promise<{ readonly blockHeight: number; readonly slot: number }>): Promise<void>;
  /**
   * Returns a slot that had passed when an attempt was permitted, so that it cannot have landed before; 0 when unknown.
   */
  slotBefore(key: AttemptKey): Promise<number>;
  /** Returns a slot after all blocks of a height and lower ones; Infinity when unknown. */
  slotAfter(height: number): Promise<number>;
}
