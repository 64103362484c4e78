import type { Envelope } from './api-bodies.js';
import type { JsonAnswer } from './http-json.js';

/** An answer in the public API's envelope. */
export type ApiAnswer<Data> = JsonAnswer<Envelope<Data>>;
