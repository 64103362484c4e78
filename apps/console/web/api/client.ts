import createClient, { type Client } from 'openapi-fetch';
import { failureOf } from './failure.js';
import type { PatientReads } from './patient-reads.js';
import type { paths } from '../generated/owner-api.js';

/** Leaves out the headers of operations: the browser itself sets `Origin`. */
type WithoutHeaders<Operation> = Operation extends { parameters: infer Parameters }
  ? Omit<Operation, 'parameters'> & { parameters: Omit<Parameters, 'header'> & { header?: never } }
  : Operation;
type BrowserPaths<Paths> = {
  [Path in keyof Paths]: { [Method in keyof Paths[Path]]: WithoutHeaders<Paths[Path][Method]> };
};

/** Routes that the console calls. */
export type ApiPaths = BrowserPaths<paths>;

/** The gateway's API. */
export type Api = Client<ApiPaths>;

/** Creates a client that sends the owner's cookie. */
export function createApi(apiUrl: string, reads: PatientReads): Api {
  return createClient<ApiPaths>({ baseUrl: apiUrl, credentials: 'include', cache: 'no-store', fetch: reads.send });
}

interface Answer<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

type DataOf<Body> = Body extends { data?: infer Data } ? Exclude<Data, undefined> : never;

/**
 * Returns `data` of the envelope.
 * @throws Failure
 */
export async function dataOf<Body extends { data?: unknown }>(answer: Promise<Answer<Body>>): Promise<DataOf<Body>> {
  const { data, error, response } = await answer;
  if (!response.ok || !data) throw failureOf(response.status, error);
  return data.data as DataOf<Body>;
}
