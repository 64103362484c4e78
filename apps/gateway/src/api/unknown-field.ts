import { closest, type FieldProblem } from '@agent-wallet/kernel';

const MAX_FIELD_LENGTH = 100;
/** Shorter texts begin many names. */
const SHORTEST_BEGINNING = 4;
const MOST = 3;

/** A part of a request that was checked: its name, and the fields that it can have. */
export interface Checked {
  readonly whole: 'path' | 'query' | 'body';
  readonly known: readonly string[];
  /** The fields of the other part: of the query for the body, and of the body for the query. */
  readonly elsewhere: readonly string[];
}

/** Fields of other wallets' APIs, and what they are called here. Spelling is not among them: `closest` finds it. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  address: ['to'],
  asset: ['mint', 'from'],
  code: ['otpCode'],
  coin: ['mint'],
  contracts: ['count'],
  currency: ['mint'],
  destination: ['to'],
  frommint: ['from'],
  fromtoken: ['from'],
  inputmint: ['from'],
  market: ['ticker'],
  message: ['memo', 'note'],
  otp: ['otpCode'],
  outcome: ['side'],
  outputmint: ['to'],
  position: ['positionId'],
  quantity: ['count', 'amount'],
  reason: ['note'],
  receiver: ['to'],
  recipient: ['to'],
  size: ['count', 'amount'],
  slippage: ['slippageBps'],
  symbol: ['mint'],
  token: ['mint'],
  tomint: ['to'],
  totoken: ['to'],
  value: ['amount'],
};

/** Returns the problem of a field that a request does not have, with the field that may be meant, or those that it has. */
export function unknownField(path: readonly PropertyKey[], { whole, known, elsewhere }: Checked): FieldProblem {
  const field = path.map(String).join('.').slice(0, MAX_FIELD_LENGTH);
  const reason = 'is not a field of this request';
  const unknown = { field, reason, problem: 'unknown_field' } as const;
  const name = String(path.at(-1));
  if (path.length === 1 && elsewhere.includes(name)) {
    const where =
      whole === 'body' ? `is a query parameter. Send it as \`?${name}=…\`` : 'is a field of the body. Send it there';
    return { ...unknown, reason: where };
  }
  const didYouMean = meantBy(name, known);
  if (didYouMean.length > 0) {
    return { ...unknown, reason: `${reason}. Did you mean ${didYouMean.join(', ')}?`, didYouMean };
  }
  return path.length === 1 && known.length > 0 ? { ...unknown, reason: `${reason}. Use ${known.join(', ')}` } : unknown;
}

/** Returns the known fields that a name may stand for: misspelt, begun, or named as elsewhere. */
function meantBy(name: string, known: readonly string[]): readonly string[] {
  const misspelt = closest(name, known);
  if (misspelt.length > 0) return misspelt;
  const wanted = name.toLowerCase().replaceAll('_', '');
  const synonyms = Object.hasOwn(SYNONYMS, wanted) ? SYNONYMS[wanted]! : [];
  const begun = (field: string) => wanted.length >= SHORTEST_BEGINNING && field.toLowerCase().startsWith(wanted);
  return known.filter((field) => synonyms.includes(field) || begun(field)).slice(0, MOST);
}
