import { clamp } from '@agent-wallet/kernel';

/** The cost of a call, as the exchange lists it. */
interface ListedCost {
  readonly method: string;
  /** With variable parts in braces, and perhaps with the API's prefix: `/markets/{ticker}`. */
  readonly path: string;
  /** Tokens. */
  readonly cost: number;
}

const DEFAULT_COST = 10;
/** The capacity of our smallest bucket: what costs more could never be asked. */
const MOST_COST = 20;
const PREFIX = /^\/trade-api\/v2/;
const VARIABLE = /^[{:]/;

/** Costs of calls in tokens; the exchange's documented default until its list is read. */
export class EndpointCosts {
  #defaultCost = DEFAULT_COST;
  #listed: readonly ListedCost[] = [];

  /** Keeps what the exchange says. */
  replace(defaultCost: number, listed: readonly ListedCost[]): void {
    this.#defaultCost = defaultCost;
    this.#listed = listed;
  }

  /**
   * Returns the cost of a call, at least 1, so that every call waits for its turn.
   * @param path behind the API's prefix
   */
  of(method: 'GET' | 'POST', path: string): number {
    const found = this.#listed.find((each) => each.method === method && isOfRoute(path, each.path));
    return clamp(found?.cost ?? this.#defaultCost, 1, MOST_COST);
  }
}

function isOfRoute(path: string, route: string): boolean {
  const parts = path.split('/');
  const wanted = route.replace(PREFIX, '').split('/');
  return parts.length === wanted.length && wanted.every((part, i) => VARIABLE.test(part) || part === parts[i]);
}
