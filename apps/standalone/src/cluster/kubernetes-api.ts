import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { JobError } from './job-error.js';

const TIMEOUT_MS = 10_000;

const NOT_FOUND = 404;
const CONFLICT = 409;
const REFUSED: readonly number[] = [401, 403];

/** Kinds of namespaced objects that are read and written here. */
export type StoredKind = 'secrets' | 'configmaps';

/** A Secret or a ConfigMap. A Secret's values are base64, a ConfigMap's are text. */
export interface StoredObject {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  /** Type of a Secret. */
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, string>>;
}

/** A pod's access to the API server, and the account that it uses there. */
interface KubernetesAccess {
  readonly url: string;
  readonly namespace: string;
  /** Folder with the service account's `token`, which changes from time to time. */
  readonly accountPath: string;
}

/**
 * Secrets and ConfigMaps of one namespace through the Kubernetes API. Its authority is whichever Node believes in:
 * NODE_EXTRA_CA_CERTS names the service account's. No error holds what an object holds.
 */
export class KubernetesApi {
  readonly #access: KubernetesAccess;

  constructor(access: KubernetesAccess) {
    this.#access = access;
  }

  /**
   * Returns an object by name; undefined when there is none.
   * @throws JobError when the account lacks the right or gets no response
   */
  async find(kind: StoredKind, name: string): Promise<StoredObject | undefined> {
    const answer = await this.#call('GET', `${kind}/${name}`);
    return answer.status === NOT_FOUND ? undefined : ((await done(answer).json()) as StoredObject);
  }

  /** Makes an object. @throws JobError when another client made it in the meantime */
  async create(kind: StoredKind, object: StoredObject): Promise<void> {
    done(await this.#call('POST', kind, object));
  }

  /** Puts an object in the place of the one with its version. @throws JobError when that has changed */
  async replace(kind: StoredKind, object: StoredObject): Promise<void> {
    done(await this.#call('PUT', `${kind}/${object.metadata.name}`, object));
  }

  async #call(method: string, place: string, object?: StoredObject): Promise<Response> {
    const { url, namespace, accountPath } = this.#access;
    const token = (await readFile(path.join(accountPath, 'token'), 'utf8')).trim();
    const answer = await fetch(`${url}/api/v1/namespaces/${namespace}/${place}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(object && { body: JSON.stringify(object) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      const { cause = error } = error;
      throw new JobError(`no API server answers at ${url}: ${(cause as Error).message}`);
    });
    if (REFUSED.includes(answer.status)) {
      throw new JobError(
        `the API server refuses ${method} of ${place} with ${answer.status}: let the service account do it (a Role with ` +
          'get, create and update of what it makes)',
      );
    }
    if (answer.status === CONFLICT) throw new JobError(`${place} was changed by another client. Run this again.`);
    return answer;
  }
}

/** Returns a successful response. The error of any other omits the body, which may repeat what was sent. */
function done(answer: Response): Response {
  if (!answer.ok) throw new JobError(`the API server answered ${answer.status} (${answer.url})`);
  return answer;
}
