import type { Attest } from './attest.js';
import type { FindBoot } from './find-boot.js';

/** What is said of boots: of this one, and of those before. */
export interface Attesting {
  readonly attest: Attest;
  readonly findBoot: FindBoot;
}

/** Under which Nest finds it. */
export const ATTESTING = Symbol('what is said of boots');
