import type { ErrorCode } from '@agent-wallet/kernel';
import { envelopeErrors, type RouteContract } from '../../api/route.js';

/** A group of routes whose common codes are listed once. */
interface Group {
  readonly name: string;
  readonly has: (contract: RouteContract) => boolean;
}

/** Widest first. */
const GROUPS: readonly Group[] = [
  { name: 'all', has: () => true },
  { name: 'with a token', has: ({ auth }) => auth === 'bearer' },
  { name: 'with a body', has: ({ body }) => body !== undefined },
  { name: 'financial', has: ({ idempotent }) => idempotent === true },
  { name: 'predictions', has: ({ path }) => path.startsWith('/predictions/') },
  { name: 'buy, sell', has: ({ path }) => /^\/predictions\/(buy|sell)$/.test(path) },
  { name: '`{…}`', has: ({ params }) => params !== undefined },
];

/** For each group the codes that every route of it can answer. */
export class CommonErrors {
  readonly #codes: ReadonlyArray<Group & { readonly codes: ReadonlySet<ErrorCode> }>;

  constructor(private readonly routes: readonly RouteContract[]) {
    // Documents without an envelope fail like the others, but with less behind them.
    const enveloped = routes.filter(({ plain }) => plain === undefined);
    this.#codes = GROUPS.map((group) => {
      const [first, ...others] = enveloped.filter(group.has).map((contract) => new Set(envelopeErrors(contract)));
      const codes = [...(first ?? [])].filter((code) => others.every((other) => other.has(code)));
      return { ...group, codes: new Set(codes) };
    });
  }

  /** Returns every code of the public routes. */
  all(): ErrorCode[] {
    const ofRouter: ErrorCode[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];
    return [...new Set([...this.routes.flatMap((contract) => envelopeErrors(contract)), ...ofRouter])];
  }

  /** Returns the groups that have a code in common, as text; empty where single routes name it. */
  groupsOf(code: ErrorCode): string {
    const groups = this.#codes.filter(({ codes }) => codes.has(code));
    const isPartOf = (group: Group, wider: Group) =>
      group !== wider && this.routes.every((contract) => !group.has(contract) || wider.has(contract));
    const widest = groups.filter((group) => !groups.some((wider) => isPartOf(group, wider)));
    return widest.map(({ name }) => name).join('; ');
  }

  /** Returns the codes of a route that none of its groups has. */
  ownOf(contract: RouteContract): ErrorCode[] {
    const groups = this.#codes.filter(({ has }) => has(contract));
    return contract.errors.filter((code) => groups.every(({ codes }) => !codes.has(code)));
  }
}
