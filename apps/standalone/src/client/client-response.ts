import type { Envelope } from './api-bodies.js';
import type { JsonResponse } from './http-json.js';

/** An answer in the public API's envelope. */
export type ClientResponse<Data> = JsonResponse<Envelope<Data>>;
