import { FILL, JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM, ROUTE_V2, SHARED_ACCOUNTS_ROUTE_V2 } from '../programs.js';
import { refuse, type SwapInstruction } from './swap-message.js';

/** The forms of a trade that are read; every other one is refused. */
type RouteForm = 'route_v2' | 'shared_accounts_route_v2' | 'fill';

/** Terms in the data of a trade's instruction. */
export interface RouteTerms {
  readonly form: RouteForm;
  /** Base units. */
  readonly inputAmount: bigint;
  /** Base units, before slippage. */
  readonly quotedOutputAmount: bigint;
  /** 0 for a fill, whose price is fixed. */
  readonly slippageBps: number;
  readonly platformFeeBps: number;
  readonly positiveSlippageBps: number;
}

/** The instruction of a trade. */
export interface RouteInstruction extends RouteTerms {
  /** Base58. Those that the form names. */
  readonly accounts: Readonly<Record<RouteAccount, string>>;
  /** Base58. Those after them, which belong to the venues. */
  readonly rest: readonly string[];
  /** Number of the program's authority that holds the accounts of a shared route. */
  readonly authorityId: number | undefined;
}

/** Role of an account in a trade, in any form; '' where the form does not have it. */
type RouteAccount =
  | 'wallet'
  | 'source'
  | 'destination'
  | 'inputMint'
  | 'outputMint'
  | 'inputTokenProgram'
  | 'outputTokenProgram'
  /** Where the output may go instead; the program itself for nowhere. */
  | 'receiver'
  | 'eventAuthority'
  | 'program'
  | 'programAuthority'
  | 'programSource'
  | 'programDestination'
  | 'maker'
  | 'makerInput'
  | 'makerOutput'
  | 'systemProgram';

const LAYOUTS: Readonly<Record<RouteForm, readonly RouteAccount[]>> = {
  route_v2: [
    ...(['wallet', 'source', 'destination', 'inputMint', 'outputMint'] as const),
    ...(['inputTokenProgram', 'outputTokenProgram', 'receiver', 'eventAuthority', 'program'] as const),
  ],
  shared_accounts_route_v2: [
    ...(['programAuthority', 'wallet', 'source', 'programSource', 'programDestination', 'destination'] as const),
    ...(['inputMint', 'outputMint', 'inputTokenProgram', 'outputTokenProgram', 'eventAuthority', 'program'] as const),
  ],
  fill: [
    ...(['wallet', 'maker', 'source', 'makerInput', 'destination', 'makerOutput'] as const),
    ...(['inputMint', 'inputTokenProgram', 'outputMint', 'outputTokenProgram', 'systemProgram'] as const),
  ],
};

const FORMS: Readonly<Record<string, RouteForm>> = {
  [`${JUPITER_PROGRAM} ${ROUTE_V2}`]: 'route_v2',
  [`${JUPITER_PROGRAM} ${SHARED_ACCOUNTS_ROUTE_V2}`]: 'shared_accounts_route_v2',
  [`${ORDER_ENGINE_PROGRAM} ${FILL}`]: 'fill',
};

const DISCRIMINATOR_BYTES = 8;
/** Amounts, slippage, two fees, and how many steps the plan has. */
const ROUTE_HEAD_BYTES = 26;
/** The shortest step: a venue's tag, its share, two indexes. */
const STEP_BYTES = 5;
/** A fill's amounts and expiry, with or without three bytes that are ignored. */
const FILL_BYTES = [32, 35];

/**
 * Reads the instruction of a trade.
 *
 * Rule: only forms whose amounts stand at fixed places in front of everything that can be of any length. It stops the
 * older forms, whose amounts are found from the end of the data, where their writer can append others that the
 * program never reads; and exact-out and token-ledger forms, whose amounts mean something else.
 * @throws MessageRefused `route`
 */
export function readRouteInstruction({ program, accounts, data }: SwapInstruction): RouteInstruction {
  const form = FORMS[`${program} ${data.toString('hex', 0, DISCRIMINATOR_BYTES)}`];
  if (!form) refuse('route', 'The trade has a form that cannot be checked.');
  const layout = LAYOUTS[form];
  if (accounts.length < layout.length) refuse('account', 'The trade has too few accounts.');
  const named = Object.fromEntries(layout.map((name, i) => [name, accounts[i]!]));
  return {
    ...(form === 'fill' ? fillTerms(data) : routeTerms(form, data)),
    accounts: { ...NO_ACCOUNTS, ...named },
    rest: accounts.slice(layout.length),
    authorityId: form === 'shared_accounts_route_v2' ? data[DISCRIMINATOR_BYTES] : undefined,
  };
}

const NO_ACCOUNTS = Object.fromEntries(
  Object.values(LAYOUTS)
    .flat()
    .map((name) => [name, '']),
) as Record<RouteAccount, string>;

/**
 * Reads the terms of a route, but not its plan. The plan's steps have unlisted lengths, and bind nothing beyond the
 * head.
 */
function routeTerms(form: RouteForm, data: Buffer): RouteTerms {
  const at = DISCRIMINATOR_BYTES + (form === 'shared_accounts_route_v2' ? 1 : 0);
  const planAt = at + ROUTE_HEAD_BYTES;
  if (data.length < planAt) refuse('route', 'The terms of the route are cut off.');
  const steps = data.readUInt32LE(planAt - 4);
  if (steps === 0 || data.length < planAt + steps * STEP_BYTES) refuse('route', 'The plan of the route is cut off.');
  return {
    form,
    inputAmount: data.readBigUInt64LE(at),
    quotedOutputAmount: data.readBigUInt64LE(at + 8),
    slippageBps: data.readUInt16LE(at + 16),
    platformFeeBps: data.readUInt16LE(at + 18),
    positiveSlippageBps: data.readUInt16LE(at + 20),
  };
}

function fillTerms(data: Buffer): RouteTerms {
  if (!FILL_BYTES.includes(data.length)) refuse('route', 'The data of the fill have another length.');
  if (data.readBigInt64LE(24) <= 0n) refuse('route', 'The fill has no time until which it is good.');
  return {
    form: 'fill',
    inputAmount: data.readBigUInt64LE(8),
    quotedOutputAmount: data.readBigUInt64LE(16),
    slippageBps: 0,
    platformFeeBps: 0,
    positiveSlippageBps: 0,
  };
}
