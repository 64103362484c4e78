// Stands for @jest/globals in a worker, where it is these.
import { workerGlobals } from './worker-globals.mjs';

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = workerGlobals();
