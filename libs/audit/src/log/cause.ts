/** Problem of an event, a batch or a checkpoint in its chain, with the facts that a sentence about it needs. */
export type ChainCause =
  /** A field of the event, or its hash, differs from its payload. */
  | { readonly code: 'id_differs' | 'agent_differs' | 'time_differs' | 'payload_unreadable' | 'hash_differs' }
  | { readonly code: 'next_follows_other_hash'; readonly nextEventId: string }
  | { readonly code: 'number_used_twice' | 'number_out_of_order' | 'number_missing'; readonly number: number }
  | { readonly code: 'position_not_due'; readonly position: number }
  | { readonly code: 'position_empty' | 'in_no_batch' | 'batch_hash_differs' }
  | { readonly code: 'positions_swapped'; readonly position: number; readonly other: number }
  | { readonly code: 'batch_differs'; readonly firstPosition: number; readonly lastPosition: number }
  | { readonly code: 'batch_not_filled'; readonly lastPosition: number }
  | { readonly code: 'checkpoint_key_differs'; readonly keyId: string; readonly expected: string }
  | { readonly code: 'checkpoint_signature_invalid' }
  | { readonly code: 'differs_from_checkpoint'; readonly signedAtMs: number }
  | { readonly code: 'signed_events_missing'; readonly size: number; readonly signedAtMs: number };

/** Problem of a page of the API. */
export type PageCause =
  | { readonly code: 'page_malformed' | 'page_without_progress'; readonly page: number }
  | { readonly code: 'page_of_other'; readonly page: number; readonly found: string };
