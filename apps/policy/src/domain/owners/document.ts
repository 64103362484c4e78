import { createHash } from 'node:crypto';
import { isSameShown, type ShownValue } from '../policy.js';
import type { ApprovalKind, OverruledAct } from './approval.js';

/** JSON of texts, lists and objects only, so that its canonical form needs no rules for numbers. */
export type PlainJson = string | readonly PlainJson[] | { readonly [name: string]: PlainJson | undefined };

/** The mint of SOL in terms. */
export const NATIVE = 'native';

/** Terms that an owner signs for a transfer. Amounts are base units. */
export type TransferTerms = {
  readonly recipient: string;
  /** Base58, or `native`. */
  readonly mint: string;
  readonly amount: string;
  readonly decimals: string;
  /** Largest operator's fee, in the same token. */
  readonly maxFee: string;
  /** `true` or `false`: whether the agent may pay for the recipient's account. */
  readonly createsAccount: string;
  readonly memo: string;
  /** A known recipient whose address begins and ends alike. */
  readonly lookalikeOf?: string | undefined;
  /** Meaning of the signature for later payments to the recipient. */
  readonly trust: Trust;
};

/**
 * Says of later payments to the recipient of a signed one: nothing; that they need no approval as long as all of 24 hours is at
 * most the signed amount of the same token; or that the recipient is known.
 */
export type Trust = (typeof TRUSTS)[number];
export const TRUSTS = ['once', 'daily_amount', 'always'] as const;

/** Terms that an owner signs for a trade. Amounts are base units; mints are base58, that of wrapped SOL for SOL. */
export type TradeTerms = {
  readonly inputMint: string;
  readonly inputAmount: string;
  readonly outputMint: string;
  /** Least output that must arrive, or nothing moves. */
  readonly minOutputAmount: string;
  readonly slippageBps: string;
  /** Network fee and tips together. */
  readonly maxNetworkLamports: string;
};

/** Terms that an owner signs for an addition of liquidity. Amounts are base units; addresses are base58. */
export type LiquidityTerms = {
  readonly pool: string;
  /** Mints in the order of the pool; that of wrapped SOL for SOL. */
  readonly mint0: string;
  readonly mint1: string;
  /** The most of each that may leave. */
  readonly maxAmount0: string;
  readonly maxAmount1: string;
  /** Liquidity tokens that must arrive, or nothing moves. */
  readonly liquidity: string;
  readonly slippageBps: string;
};

/** Terms that an owner signs for a buy of contracts. Amounts are dollars and contracts as decimal text. */
export type BuyTerms = {
  readonly ticker: string;
  readonly side: string;
  readonly count: string;
  /** For one contract. */
  readonly maxPriceUsd: string;
  /** For all, with the exchange's fee: what leaves the wallet. */
  readonly maxCostUsd: string;
};

/** Terms that an owner signs for an operation, by its action in the public API. */
export interface OperationTerms {
  readonly transfer: TransferTerms;
  readonly trade: TradeTerms;
  readonly liquidity_add: LiquidityTerms;
  readonly prediction_buy: BuyTerms;
}

/** Approved terms, by kind. */
export interface ApprovalTerms {
  /**
   * The wallet and the mailbox of the agent, the whole policy that it has when it is claimed, and whether its sessions go on
   * afterwards.
   */
  readonly claim: {
    readonly wallet: string;
    readonly email: string;
    readonly policy: Readonly<Record<string, ShownValue>>;
    readonly keepSessions: 'true' | 'false';
    /** Time from the signature until it takes effect. */
    readonly delayHours: string;
  };
  readonly policy: {
    readonly proposer: 'agent' | 'owner';
    readonly changes: Readonly<Record<string, { readonly before: ShownValue; readonly after: ShownValue }>>;
    readonly note?: string | undefined;
  };
  /** The owner's freeze that ends. */
  readonly unfreeze: { readonly frozenSince: string };
  readonly operation: OperationTerms[keyof OperationTerms];
  /** Base64url. */
  readonly passkey: { readonly action: 'add' | 'remove'; readonly credentialId: string; readonly coseKey: string };
  /** The act that takes effect when the document expires, unless an owner signs it: the signature objects. */
  readonly objection: {
    readonly act: OverruledAct;
    readonly operator: string;
    readonly reason: string;
    /** The freeze that would end, for that act alone. */
    readonly frozenSince?: string | undefined;
  };
  /** The passkey that replaces all of the owner's. Base64url. */
  readonly recovery: { readonly credentialId: string; readonly coseKey: string };
  /** The owner who joins or leaves, with the address that this owner logs in with. */
  readonly member: { readonly action: 'add' | 'remove'; readonly member: string; readonly email: string };
  /** The scoped token that is opened. Scopes and addresses stand between spaces; amounts are dollars as decimal text. */
  readonly token: {
    readonly name: string;
    readonly scopes: string;
    readonly recipients?: string | undefined;
    readonly maxSingleUsd?: string | undefined;
    readonly dailyUsd?: string | undefined;
    readonly totalUsd?: string | undefined;
    readonly expiresAt: string;
  };
}

/** A kind with its terms. */
export type TermsOf<Kind extends ApprovalKind = ApprovalKind> = {
  [Each in Kind]: { readonly kind: Each; readonly terms: ApprovalTerms[Each] };
}[Kind];

/** Content that an owner signs: the fields of owner documents beyond type and nonce. Times are Unix milliseconds. */
export type ApprovalRequest = TermsOf & {
  readonly id: string;
  readonly origin: string;
  readonly agentId: string | undefined;
  readonly ownerId: string;
  readonly policyVersion: bigint | undefined;
  readonly threshold: number;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  /** 32 random bytes, base64url. */
  readonly nonce: string;
  /** The agent's session that asked; undefined where an owner did, or where it is not known. */
  readonly session?: AskingSession | undefined;
  /** The operation, for that kind alone. */
  readonly operation?: AskedOperation | undefined;
};

/** The session of an agent that asked, for an owner who looks for a thief. */
export interface AskingSession {
  /** Time when a mailed code last proved the agent's address, in Unix milliseconds. */
  readonly loggedInAtMs: number;
  /** The scoped token that asks, which no document names. */
  readonly tokenId?: string | undefined;
  /** Network of the request: /24 of IPv4, /48 of IPv6. */
  readonly network: string | undefined;
}

/** An operation that waits for an approval, as its document names it. */
export interface AskedOperation {
  readonly operationId: string;
  /** Base58. */
  readonly wallet: string;
  /** The action whose terms it has. */
  readonly action: keyof OperationTerms;
  /** Dollars, as decimal text. */
  readonly valueUsd: string;
  /** `above_amount`, `new_recipient`. */
  readonly reasons: readonly string[];
}

const APPROVAL_TYPE = 'agent-wallet.approval.v1';

/**
 * Serializes the document of an approval canonically, so that its hash has one preimage for everyone who renders it.
 */
export function approvalDocument(request: ApprovalRequest): Buffer {
  const { id, kind, origin, agentId, ownerId, terms, policyVersion, nonce, session, operation } = request;
  return canonicalJson({
    type: APPROVAL_TYPE,
    id,
    kind,
    origin,
    agent: agentId,
    owner: ownerId,
    terms,
    nonce,
    session: session && { loggedInAt: new Date(session.loggedInAtMs).toISOString(), network: session.network },
    ...(operation && documentedOperation(operation)),
    policyVersion: policyVersion === undefined ? undefined : String(policyVersion),
    threshold: String(request.threshold),
    askedAt: new Date(request.askedAtMs).toISOString(),
    expiresAt: new Date(request.expiresAtMs).toISOString(),
  });
}

/** Returns the document of a payment with other trust; undefined for a document of anything else. */
export function trustedDocument(
  document: Buffer,
  { trust, nonce }: { trust: Trust; nonce: string },
): Buffer | undefined {
  const signed = JSON.parse(Buffer.from(document).toString()) as { readonly [name: string]: PlainJson };
  if (signed.kind !== 'operation' || signed.action !== 'transfer') return undefined;
  const terms = { ...(signed.terms as TransferTerms), trust };
  return canonicalJson({ ...signed, terms, nonce });
}

function documentedOperation({ operationId, ...operation }: AskedOperation): { readonly [name: string]: PlainJson } {
  return { ...operation, operation: operationId };
}

/** Returns the operation that a stored document of that kind names. */
export function operationOf(document: Buffer): AskedOperation {
  const { operation, wallet, action, valueUsd, reasons } = JSON.parse(Buffer.from(document).toString()) as Omit<
    AskedOperation,
    'operationId'
  > & { readonly operation: string };
  return { operationId: operation, wallet, action, valueUsd, reasons };
}

/** Returns the challenge under which a document is signed: its SHA-256. */
export function challengeOf(document: Buffer): Buffer {
  return createHash('sha256').update(document).digest();
}

/** Returns the terms of a stored document of a kind. */
export function termsOf<Kind extends ApprovalKind>(_kind: Kind, document: Buffer): ApprovalTerms[Kind] {
  return (JSON.parse(Buffer.from(document).toString()) as { readonly terms: ApprovalTerms[Kind] }).terms;
}

/** Returns the version of the policy that a stored document was made with. */
export function versionOf(document: Buffer): bigint {
  return BigInt((JSON.parse(Buffer.from(document).toString()) as { readonly policyVersion: string }).policyVersion);
}

/** Returns the origin that a stored document was made for. */
export function originOf(document: Buffer): string {
  return (JSON.parse(Buffer.from(document).toString()) as { readonly origin: string }).origin;
}

/** Returns whether two changes are the same: each field before and after. */
export function areSameChanges(one: ApprovalTerms['policy']['changes'], other: typeof one): boolean {
  return Buffer.from(canonicalJson(one)).equals(canonicalJson(other));
}

/** Returns whether each field still has the value that it had when the change was proposed. */
export function isStillBefore(
  changes: ApprovalTerms['policy']['changes'],
  policy: Readonly<Record<string, ShownValue>>,
): boolean {
  return Object.entries(changes).every(([field, { before }]) => isSameShown(policy[field] ?? '', before));
}

/**
 * Serializes JSON by RFC 8785: names in the order of their UTF-16 code units, no white space, UTF-8.
 * @throws TypeError for a lone surrogate
 */
export function canonicalJson(value: PlainJson): Buffer {
  return Buffer.from(textOfJson(value));
}

function textOfJson(value: PlainJson): string {
  if (typeof value === 'string') return plain(value);
  if (isList(value)) return `[${value.map(textOfJson).join(',')}]`;
  const names = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${names.map((name) => `${plain(name)}:${textOfJson(value[name]!)}`).join(',')}}`;
}

/** Rejects a lone surrogate, which RFC 8785 forbids and JSON.stringify would hide behind an escape. */
function plain(text: string): string {
  if (Buffer.from(text).toString() !== text) throw new TypeError('a text is not well-formed Unicode');
  return JSON.stringify(text);
}

function isList(value: PlainJson): value is readonly PlainJson[] {
  return Array.isArray(value);
}
