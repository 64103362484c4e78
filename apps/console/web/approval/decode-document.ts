import {
  type EntryKind,
  type KeyedPolicyField,
  NEW_RECIPIENTS,
  POLICY_FIELD_LIST,
  type PolicyFieldName,
} from '@agent-wallet/kernel/policy-fields';
import { TEXTS } from '../texts.js';
import { canonicalJson, isPlainJson, type PlainJson } from './canonical-json.js';
import {
  address,
  anyText,
  base64url,
  decimalText,
  digits,
  either,
  isoTime,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Read,
  refuse,
  type Shaped,
  shaped,
  text,
  trueOrFalse,
  uuid,
} from './read-fields.js';

export { UnknownDocument } from './read-fields.js';

const none = oneOf('null');
const usd = decimalText;
const ticker = text(/^[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+)*$/);
const hours = text(/^(0|[1-9]\d{0,3})$/);

/** Readers of the entries of a list. */
const ENTRIES: Readonly<Record<EntryKind, Read<string>>> = {
  recipient: address,
  mint: address,
  unnamedMint: address,
  ticker,
};

/** Returns the reader of a policy field in a document. */
function readerOf(field: KeyedPolicyField): Read<string | readonly string[]> {
  switch (field.kind) {
    case 'usd':
      return decimalText;
    case 'optionalUsd':
    case 'percent':
      return either(none, decimalText);
    case 'hours':
      return hours;
    case 'flag':
      return trueOrFalse;
    case 'list':
      return listOf(ENTRIES[field.of]);
    case 'allowList':
      return either(none, listOf(ENTRIES[field.of]));
    case 'treatment':
      return oneOf(...NEW_RECIPIENTS);
  }
}

/** Readers of policy fields in a document, by field. */
const FIELD_READERS = Object.fromEntries(POLICY_FIELD_LIST.map((field) => [field.name, readerOf(field)])) as Readonly<
  Record<PolicyFieldName, Read<string | readonly string[]>>
>;

/** A value of a policy's field as a document shows it. */
export type ShownValue = string | readonly string[];

/** One field of a policy, from and to. */
export interface ShownChange {
  readonly field: PolicyFieldName;
  readonly before: ShownValue;
  readonly after: ShownValue;
}

const transfer = shaped({
  recipient: address,
  mint: either(oneOf('native'), address),
  amount: digits,
  decimals: text(/^\d{1,3}$/),
  maxFee: digits,
  createsAccount: trueOrFalse,
  memo: anyText,
  lookalikeOf: optional(address),
  trust: oneOf('once', 'daily_amount', 'always'),
});

const trade = shaped({
  inputMint: address,
  inputAmount: digits,
  outputMint: address,
  minOutputAmount: digits,
  slippageBps: text(/^\d{1,5}$/),
  maxNetworkLamports: digits,
});

const liquidity = shaped({
  pool: address,
  mint0: address,
  mint1: address,
  maxAmount0: digits,
  maxAmount1: digits,
  liquidity: digits,
  slippageBps: text(/^\d{1,5}$/),
});

const buy = shaped({
  ticker: anyText,
  side: oneOf('yes', 'no'),
  count: text(/^\d{1,18}(\.\d{1,2})?$/),
  maxPriceUsd: usd,
  maxCostUsd: usd,
});

/** Terms of each operation that an owner can approve. */
const OPERATIONS = { transfer, trade, liquidity_add: liquidity, prediction_buy: buy } as const;

/** Every action that the page can show to an owner. */
export const SHOWN_ACTIONS = Object.keys(OPERATIONS) as ReadonlyArray<keyof typeof OPERATIONS>;
type Operations = { [Action in keyof typeof OPERATIONS]: ReturnType<(typeof OPERATIONS)[Action]> };

/** An operation with its terms. */
export type DecodedOperation = {
  [Action in keyof Operations]: {
    readonly action: Action;
    readonly terms: Operations[Action];
    readonly operation: string;
    readonly wallet: string;
    readonly valueUsd: string;
    readonly reasons: ReadonlyArray<'above_amount' | 'new_recipient'>;
  };
}[keyof Operations];

/** Subject of an approval, decoded. */
export type Subject =
  | {
      readonly kind: 'claim';
      /** Base58. */
      readonly wallet: string;
      /** The agent's mailbox. */
      readonly email: string;
      readonly policy: ReadonlyArray<Omit<ShownChange, 'before'>>;
      readonly keepsSessions: boolean;
      /** Time from the signature until it takes effect. */
      readonly delayHours: number;
    }
  | {
      readonly kind: 'policy';
      readonly proposer: 'agent' | 'owner';
      readonly changes: readonly ShownChange[];
      readonly note: string;
    }
  | { readonly kind: 'unfreeze'; readonly frozenSince: string }
  | { readonly kind: 'passkey'; readonly action: 'add' | 'remove'; readonly credentialId: string }
  | {
      readonly kind: 'objection';
      readonly act: 'release' | 'unfreeze';
      readonly operator: string;
      readonly reason: string;
      readonly frozenSince?: string | undefined;
    }
  | { readonly kind: 'recovery'; readonly credentialId: string }
  | { readonly kind: 'member'; readonly action: 'add' | 'remove'; readonly member: string; readonly email: string }
  | ({ readonly kind: 'token' } & TokenTerms)
  | ({ readonly kind: 'operation' } & DecodedOperation);

const common = {
  type: oneOf('agent-wallet.approval.v1'),
  id: uuid,
  origin: text(/^https?:\/\/[^\s/]+$/),
  owner: uuid,
  nonce: text(/^[\w-]{43}$/),
  threshold: oneOf('1'),
  askedAt: isoTime,
  expiresAt: isoTime,
} as const;
const ofAgent = { ...common, agent: uuid, policyVersion: digits } as const;
/** The agent's session that asked: when it logged in and from which network. */
const session = optional(
  shaped({ loggedInAt: isoTime, network: optional(text(/^(\d{1,3}(\.\d{1,3}){3}\/24|[0-9a-f:]{2,39}\/48)$/)) }),
);
const asked = { ...ofAgent, session } as const;

const SCOPES = Object.keys(TEXTS.tokens.scope) as ReadonlyArray<keyof typeof TEXTS.tokens.scope>;
const tokenTerms = {
  name: anyText,
  scopes: wordsOf(oneOf(...SCOPES)),
  recipients: optional(wordsOf(address)),
  maxSingleUsd: optional(usd),
  dailyUsd: optional(usd),
  totalUsd: optional(usd),
  expiresAt: isoTime,
} as const;

/** Terms of a scoped token. */
export type TokenTerms = Shaped<typeof tokenTerms>;

/** Reads words between single spaces. */
function wordsOf<T>(word: Read<T>): Read<readonly T[]> {
  return (value, at) => listOf(word)(anyText(value, at).split(' '), at);
}

/** A document that the page understands to the last field. */
export interface DecodedDocument extends Omit<Shaped<typeof common>, 'type' | 'nonce' | 'threshold'> {
  readonly agent: string | undefined;
  readonly session: { readonly loggedInAt: string; readonly network?: string } | undefined;
  readonly about: Subject;
}

/** Reads the fields that a kind has. */
const KINDS: Readonly<Record<string, (value: PlainJson) => DecodedDocument>> = {
  claim: (value) => {
    const terms = shaped({
      ...{ wallet: address, email: anyText, policy: wholePolicy },
      ...{ keepSessions: trueOrFalse, delayHours: text(/^\d{1,3}$/) },
    });
    const read = shaped({ ...ofAgent, kind: oneOf('claim'), terms })(value, 'document');
    const { wallet, email, policy, keepSessions, delayHours } = read.terms;
    return decoded(read, {
      ...{ kind: 'claim', wallet, email, policy },
      ...{ keepsSessions: keepSessions === 'true', delayHours: Number(delayHours) },
    });
  },
  policy: (value) => {
    const terms = shaped({ proposer: oneOf('agent', 'owner'), changes, note: optional(anyText) });
    const read = shaped({ ...asked, kind: oneOf('policy'), terms })(value, 'document');
    return decoded(read, { ...read.terms, kind: 'policy', note: read.terms.note ?? '' });
  },
  unfreeze: (value) => {
    const terms = shaped({ frozenSince: isoTime });
    const read = shaped({ ...ofAgent, policyVersion: optional(digits), kind: oneOf('unfreeze'), terms })(
      value,
      'document',
    );
    return decoded(read, { kind: 'unfreeze', ...read.terms });
  },
  passkey: (value) => {
    const terms = shaped({ action: oneOf('add', 'remove'), credentialId: base64url, coseKey: base64url });
    const read = shaped({ ...common, kind: oneOf('passkey'), terms })(value, 'document');
    const { action, credentialId } = read.terms;
    return decoded({ ...read, agent: undefined }, { kind: 'passkey', action, credentialId });
  },
  objection: (value) => {
    const terms = shaped({
      act: oneOf('release', 'unfreeze'),
      operator: anyText,
      reason: anyText,
      frozenSince: optional(isoTime),
    });
    const read = shaped({ ...ofAgent, kind: oneOf('objection'), terms })(value, 'document');
    return decoded(read, { kind: 'objection', ...read.terms });
  },
  recovery: (value) => {
    const terms = shaped({ credentialId: base64url, coseKey: base64url });
    const read = shaped({ ...common, kind: oneOf('recovery'), terms })(value, 'document');
    return decoded({ ...read, agent: undefined }, { kind: 'recovery', credentialId: read.terms.credentialId });
  },
  member: (value) => {
    const terms = shaped({ action: oneOf('add', 'remove'), member: uuid, email: anyText });
    const read = shaped({ ...ofAgent, kind: oneOf('member'), terms })(value, 'document');
    return decoded(read, { kind: 'member', ...read.terms });
  },
  token: (value) => {
    const read = shaped({ ...ofAgent, kind: oneOf('token'), terms: shaped(tokenTerms) })(value, 'document');
    return decoded(read, { kind: 'token', ...read.terms });
  },
  operation: operationOf,
};

function operationOf(value: PlainJson): DecodedDocument {
  const action = oneOf(...SHOWN_ACTIONS)(objectOf(value, 'document').action ?? '', 'document.action');
  const read = shaped({
    ...asked,
    kind: oneOf('operation'),
    action: oneOf(action),
    operation: uuid,
    wallet: address,
    valueUsd: usd,
    reasons: listOf(oneOf('above_amount', 'new_recipient')),
    terms: OPERATIONS[action],
  })(value, 'document');
  const { terms, operation, wallet, valueUsd, reasons } = read;
  return decoded(read, { kind: 'operation', action, terms, operation, wallet, valueUsd, reasons } as Subject);
}

function wholePolicy(value: PlainJson, at: string): ReadonlyArray<Omit<ShownChange, 'before'>> {
  return Object.entries(shaped(FIELD_READERS)(value, at)).map(([field, after]) => ({
    field: field as PolicyFieldName,
    after,
  }));
}

function changes(value: PlainJson, at: string): readonly ShownChange[] {
  const read = Object.entries(objectOf(value, at)).map(([name, each]) => {
    if (!Object.hasOwn(FIELD_READERS, name)) return refuse(`${at}.${name}`, 'is not known');
    const field = name as PolicyFieldName;
    const shown: Read<ShownValue> = FIELD_READERS[field];
    return { field, ...shaped({ before: shown, after: shown })(each, `${at}.${name}`) };
  });
  return read.length > 0 ? read : refuse(at, 'is empty');
}

type Common = Pick<DecodedDocument, 'id' | 'origin' | 'agent' | 'owner' | 'askedAt' | 'expiresAt'> &
  Partial<Pick<DecodedDocument, 'session'>>;

function decoded({ id, origin, agent, owner, askedAt, expiresAt, session }: Common, about: Subject): DecodedDocument {
  return { id, origin, agent, owner, askedAt, expiresAt, session, about };
}

/**
 * Decodes the document of an approval.
 * @throws UnknownDocument unless it is canonical and every field of it is known
 */
export function decodeDocument(document: string): DecodedDocument {
  if (!document.isWellFormed()) return refuse('document', 'is not well-formed text');
  const value = parsed(document);
  if (!isPlainJson(value) || canonicalJson(value) !== document) return refuse('document', 'is not canonical JSON');
  const { kind } = objectOf(value, 'document');
  const read = typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  return read ? read(value) : refuse('document.kind', 'is not known');
}

function parsed(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return refuse('document', 'is not JSON');
  }
}

/** Where and when a document would be signed. */
export interface Signing {
  readonly approvalId: string;
  readonly origin: string;
  readonly nowMs: number;
}

/** Returns why a document must not be signed here and now; undefined when it may. */
export function signingProblem(
  { id, origin, expiresAt }: DecodedDocument,
  signing: Signing,
): 'other_origin' | 'other_approval' | 'expired' | undefined {
  if (origin !== signing.origin) return 'other_origin';
  if (id !== signing.approvalId) return 'other_approval';
  return Date.parse(expiresAt) <= signing.nowMs ? 'expired' : undefined;
}

const login = shaped({
  type: oneOf('agent-wallet.login.v1'),
  origin: text(/^https?:\/\/[^\s/]+$/),
  expiresAt: isoTime,
  nonce: text(/^[\w-]{43}$/),
  mac: text(/^[\w-]{43}$/),
});

/**
 * Checks that a document is that of a login at this origin: no other document may be signed to log in.
 * @throws UnknownDocument
 */
export function checkLoginDocument(document: string, origin: string): void {
  const value = parsed(document);
  if (!isPlainJson(value) || canonicalJson(value) !== document) refuse('document', 'is not canonical JSON');
  if (login(value, 'document').origin !== origin) refuse('document.origin', 'is another one');
}
