import type { ChainCause } from './cause.js';
import type { Checkpoint } from './checkpoint.js';

/** An event as it was stored, which is not believed. */
export interface StoredEvent {
  readonly kind: 'event';
  /** Place in the log, from 1; undefined where only one agent's events are seen. */
  readonly position: number | undefined;
  readonly eventId: string;
  readonly agentId: string;
  readonly sequence: number;
  /** Unix milliseconds, as stored beside the payload; undefined where it is not. */
  readonly occurredAtMs: number | undefined;
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
  readonly payload: Uint8Array;
}

/** Events that were written together. */
export interface StoredBatch {
  readonly kind: 'batch';
  readonly lastPosition: number;
  readonly hash: Uint8Array;
}

/** A checkpoint, as stored or as saved earlier by the verifier. */
export type StoredCheckpoint = Checkpoint & { readonly kind: 'checkpoint' };

/** A record of a log: all events in the order of the log, in between or after them the rest in any order. */
export type AuditRecord = StoredEvent | StoredBatch | StoredCheckpoint;

/** A problem, and the record that it concerns. */
export interface Finding<Cause = ChainCause> {
  readonly problem: 'altered' | 'missing' | 'reordered' | 'inserted' | 'forged';
  readonly record: 'event' | 'batch' | 'checkpoint' | 'page';
  /** Place in the log. */
  readonly position?: number | undefined;
  readonly eventId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Number among the agent's events; of a checkpoint, its size. */
  readonly sequence?: number | undefined;
  readonly cause: Cause;
}
