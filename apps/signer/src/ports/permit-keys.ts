import type { KeyObject } from 'node:crypto';

/** The public halves of policy's permit keys, by key id. */
export type PermitKeys = ReadonlyMap<string, KeyObject>;
