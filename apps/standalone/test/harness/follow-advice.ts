import type { SandboxClient } from '../../src/index.js';

/** A request to the public API. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Fields of a failure beside its message. */
export interface Advice {
  readonly code: string;
  readonly suggestion: string | null;
  readonly details?: ReadonlyArray<{ readonly field: string; readonly reason: string; readonly didYouMean?: string }>;
  readonly didYouMean?: ReadonlyArray<{ readonly symbol: string }>;
  readonly maxAmountNow?: number | null;
  readonly requestedUsd?: number | null;
  readonly allowed?: readonly string[];
  readonly asset?: string;
  readonly missingRaw?: string;
  readonly decimals?: number;
}

/** The caller's means beside the request itself: a person who may change the policy, and the faucet. */
export interface Means {
  readonly address: string;
  readonly sandbox: Pick<SandboxClient, 'faucet'>;
  policy(): Promise<Readonly<Record<string, unknown>>>;
  patchPolicy(change: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/**
 * Does what a failure says, by its fields and its suggestion alone, as a program would that knows nothing of the case.
 * @returns the next request; undefined where nothing says what to do
 */
export async function followAdvice(asked: Asked, advice: Advice, means: Means): Promise<Asked | undefined> {
  return byFields(asked, advice) ?? (await byMoney(asked, advice, means)) ?? (await bySuggestion(asked, advice, means));
}

function byFields(asked: Asked, { details = [], didYouMean, maxAmountNow, requestedUsd, allowed }: Advice) {
  const body = { ...asked.body };
  if (allowed?.[0]) return { ...asked, method: allowed[0] };
  const [symbol] = didYouMean ?? [];
  if (symbol && details[0]) return { ...asked, body: { ...body, [details[0].field]: symbol.symbol } };
  const renamed = details.filter((detail) => detail.didYouMean !== undefined);
  if (renamed.length > 0) {
    for (const { field, didYouMean: name } of renamed) {
      body[name!] = body[field];
      delete body[field];
    }
    return { ...asked, body };
  }
  const written = details.flatMap(({ field, reason }) => {
    const [, text] = /write (-?[\d.]+)/i.exec(reason) ?? [];
    return text === undefined ? [] : [[field, Number(text)] as const];
  });
  if (written.length > 0) return { ...asked, body: { ...body, ...Object.fromEntries(written) } };
  if (maxAmountNow === undefined || maxAmountNow === null) return undefined;
  if ('amount' in body) return { ...asked, body: { ...body, amount: maxAmountNow } };
  // Contracts: as many as the dollars that pass are of those that were asked for.
  const share = maxAmountNow / (requestedUsd ?? maxAmountNow);
  return 'count' in body
    ? { ...asked, body: { ...body, count: Math.floor(Number(body['count']) * share) } }
    : undefined;
}

async function byMoney(asked: Asked, { code, asset, missingRaw, decimals }: Advice, { address, sandbox }: Means) {
  if (code !== 'INSUFFICIENT_FUNDS' || !asset || !missingRaw || decimals === undefined) return undefined;
  await sandbox.faucet(address, asset, Number(missingRaw) / 10 ** decimals);
  return asked;
}

async function bySuggestion(asked: Asked, { suggestion }: Advice, means: Means): Promise<Asked | undefined> {
  const text = suggestion ?? '';
  const [, near] = /Did you mean (\/[\w/-]+)\?/.exec(text) ?? [];
  if (near) return { ...asked, path: near };
  const [, switched] = /switch on (allow\w+)/.exec(text) ?? [];
  if (switched) {
    await means.patchPolicy({ [switched]: true });
    return asked;
  }
  const [list] = /allowed(Recipients|Tokens|Markets)/.exec(text) ?? [];
  const entries = list && (await means.policy())[list];
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  const [field] = { allowedRecipients: ['to'], allowedTokens: ['to'], allowedMarkets: ['ticker'] }[list as never] as [
    string,
  ];
  return { ...asked, body: { ...asked.body, [field]: entries[0] } };
}
