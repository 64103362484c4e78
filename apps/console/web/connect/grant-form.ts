import type { TokenRequest, TokenScope } from '../api/records.js';

export const LIMITS = ['single', 'daily', 'total'] as const;
export const LIFETIME_DAYS = [1, 7, 30, 90, 365] as const;

type Limit = (typeof LIMITS)[number];

/** An owner's choices for an app: limits are texts in dollars, and empty where the token has none. */
export type GrantForm = Readonly<Record<Limit, string>> & {
  readonly agentId: string;
  readonly scopes: readonly TokenScope[];
  readonly days: number;
};

/** Faults of a form that the owner has to mend, by field. */
export type GrantProblem = 'agentId' | 'scopes' | Limit;

const DEFAULTS = { single: '10', daily: '50', total: '200', days: 30 } as const;
const AMOUNT = /^\d{1,9}(\.\d{1,6})?$/;
const MAX_NAME_LENGTH = 64;
const HOURS_OF_DAY = 24;

/** Returns the form to begin with: the only agent is chosen, and of the scopes reading alone. */
export function firstForm(agentIds: readonly string[], asked: readonly TokenScope[]): GrantForm {
  const agentId = agentIds.length === 1 ? agentIds[0]! : '';
  return { ...DEFAULTS, agentId, scopes: asked.filter((scope) => scope === 'read') };
}

/** Returns the fields that keep a form from being signed. */
export function problemsOf(form: GrantForm): ReadonlySet<GrantProblem> {
  const problems = new Set<GrantProblem>(LIMITS.filter((limit) => !isGoodLimit(form[limit])));
  if (form.agentId === '') problems.add('agentId');
  if (form.scopes.length === 0) problems.add('scopes');
  return problems;
}

/** Converts a good form to the request for a token. */
export function tokenRequest(appName: string, { scopes, single, daily, total, days }: GrantForm): TokenRequest {
  return {
    name: tokenName(appName),
    scopes: [...scopes],
    maxSingleInUsd: dollars(single),
    dailyLimitInUsd: dollars(daily),
    totalLimitInUsd: dollars(total),
    expiresInHours: days * HOURS_OF_DAY,
  };
}

/** Returns an app's name as the API takes it for a token: without control characters, and cut between characters. */
export function tokenName(appName: string): string {
  let name = '';
  for (const character of appName.replace(/[\p{Cc}\p{Cs}]/gu, '').trim()) {
    if (name.length + character.length > MAX_NAME_LENGTH) break;
    name += character;
  }
  return name === '' ? 'App' : name;
}

function isGoodLimit(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === '' || (AMOUNT.test(trimmed) && Number(trimmed) > 0);
}

function dollars(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
