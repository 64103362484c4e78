import type { intentV1 } from '@agent-wallet/contracts';
import {
  addressBytes,
  addressOf,
  programDerivedAddress,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenProgram,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/solana/checks';
import { KNOWN_MINTS } from '../checks/check-mentioned-accounts.js';
import { resolvedAddressesHash } from '../messages/lookup-tables.js';
import { minimumOutput } from '../messages/read-route.js';
import {
  FILL,
  JUPITER_EVENT_AUTHORITY,
  JUPITER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  PROGRAM_AUTHORITIES,
  ROUTE_V2,
  SHARED_ACCOUNTS_ROUTE_V2,
} from '../programs.js';
import { MAKER, SOME_2022_MINT, SPONSOR, tokenAccountOf, venueOf } from './actors.js';
import {
  compile,
  type Draft,
  type DraftAccount,
  type DraftInstruction,
  payer,
  readonly,
  signer,
  writable,
} from './draft.js';
import { bytes, call, closing, creation, syncing, transfer, unitLimit, unitPrice } from './instructions.js';

/** An honest swap, from which forgeries are made. */
export interface Scenario {
  readonly name: string;
  readonly draft: Draft;
  readonly intent: intentV1.Intent;
}

/** Returns the swap of an intent, or throws for another action. */
export function swapOf(intent: intentV1.Intent): intentV1.Swap {
  if (intent.action?.$case !== 'swap') throw new TypeError('the intent is not a swap');
  return intent.action.value;
}

/** Inputs of an honest swap. */
export interface Order {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly form?: 'route_v2' | 'shared_accounts_route_v2' | 'fill';
  readonly legs?: number;
  readonly withTables?: boolean;
  readonly isNewAccount?: boolean;
  readonly tip?: bigint;
  readonly platformFeeBps?: number;
  readonly namesReceiver?: boolean;
  /** Base units; of what is spent, and of what is promised. */
  readonly input?: bigint;
  readonly quoted?: bigint;
  readonly slippageBps?: number;
  /** Signer of a fill. */
  readonly maker?: string;
  /** Payer of the network in the wallet's place. */
  readonly sponsor?: string;
}

export const [SOL, USDC, USDT, JUP, BONK, WIF] = KNOWN_MINTS as [string, string, string, string, string, string];

/** Compute units within the limits of the corpus. */
const UNITS = 300_000;
const PRICE = 50_000n;
const NETWORK_FEE = 20_000n;
const SIGNATURE_FEE = 5_000n;
const RENT = 2_039_280n;

const INPUT = 250_000_000n;
const QUOTED = 41_777_333n;
const SLIPPAGE_BPS = 50;
const AUTHORITY_ID = 3;
const EXPIRES_AT = 1_900_000_000n;

const ORDERS: readonly Order[] = [
  { name: 'tokens', from: USDC, to: JUP },
  { name: 'tokens, new account and fee', from: JUP, to: USDT, isNewAccount: true, platformFeeBps: 10 },
  { name: 'tokens, receiver named', from: USDC, to: WIF, namesReceiver: true },
  { name: 'native in', from: SOL, to: USDC, isNewAccount: true },
  { name: 'native out', from: USDC, to: SOL, isNewAccount: true, tip: 40_000n },
  { name: 'three legs, tables', from: USDC, to: BONK, legs: 3, withTables: true },
  { name: 'native in, three legs, tables', from: SOL, to: BONK, legs: 3, withTables: true, isNewAccount: true },
  { name: 'shared accounts, tables', from: USDC, to: SOL, form: 'shared_accounts_route_v2', legs: 2, withTables: true },
  { name: 'shared accounts', from: SOL, to: WIF, form: 'shared_accounts_route_v2' },
  { name: 'token-2022', from: USDC, to: SOME_2022_MINT, isNewAccount: true },
  { name: 'sponsored', from: USDC, to: SOL, sponsor: SPONSOR, isNewAccount: true, tip: 40_000n },
  { name: 'sponsored, account there', from: USDC, to: SOL, sponsor: SPONSOR, platformFeeBps: 2 },
  {
    ...{ name: 'sponsored, shared accounts, tables', from: USDC, to: SOL, form: 'shared_accounts_route_v2' },
    ...{ legs: 2, withTables: true, sponsor: SPONSOR, isNewAccount: true },
  },
  { name: 'fill', from: USDC, to: JUP, form: 'fill', isNewAccount: true },
  { name: 'fill, native in', from: SOL, to: USDC, form: 'fill' },
  { name: 'fill, native out', from: USDC, to: SOL, form: 'fill' },
];

/** Returns one swap of every kind. @param sponsor payer where the wallet does not pay */
export function scenarios(wallet: string, sponsor = SPONSOR): Scenario[] {
  return ORDERS.map((order) => scenario(wallet, order.sponsor === undefined ? order : { ...order, sponsor }));
}

const programOf = (mint: string): TokenProgram => (mint === SOME_2022_MINT ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);

/** Builds the swap of an order. */
export function scenario(wallet: string, order: Order): Scenario {
  const { from, to, form = 'route_v2', platformFeeBps = 0, tip = 0n } = order;
  const { input = INPUT, quoted = QUOTED, slippageBps = SLIPPAGE_BPS, sponsor } = order;
  const draft = draftOf(wallet, order);
  const isFill = form === 'fill';
  const maxNetworkLamports = isFill ? 0n : NETWORK_FEE + (sponsor === undefined ? 0n : SIGNATURE_FEE) + tip;
  const value: intentV1.Swap = {
    inputMint: from,
    inputTokenProgram: programOf(from),
    inputDecimals: 6,
    inputAmount: input,
    outputMint: to,
    outputTokenProgram: programOf(to),
    quotedOutputAmount: quoted,
    minOutputAmount: minimumOutput(quoted, slippageBps),
    slippageBps,
    platformFeeBps,
    maxNetworkLamports,
    resolvedAddressesHash: resolvedAddressesHash(compile(draft).resolvedAddresses),
    allowUnpricedOutput: false,
    ...(isFill ? { cosigner: MAKER } : {}),
    ...(sponsor !== undefined && order.isNewAccount ? { returnedRentLamports: RENT } : {}),
  };
  const sponsorship = sponsor === undefined ? {} : { sponsor, maxNetworkFeeLamports: maxNetworkLamports };
  return { name: order.name, draft, intent: { wallet, action: { $case: 'swap', value }, ...sponsorship } };
}

/**
 * Compiles the plainest message that carries out an intent to swap: over one venue and no lookup tables, or a fill when
 * a maker signs. The network costs it 20,000 lamports, or its sponsor 25,000.
 * @param blockhash 32 bytes
 */
export function honestMessage(intent: intentV1.Intent, blockhash: Uint8Array): Uint8Array {
  const { inputMint, outputMint, inputAmount, quotedOutputAmount, slippageBps, platformFeeBps, ...payment } =
    swapOf(intent);
  const { cosigner, returnedRentLamports } = payment;
  const order: Order = {
    ...{ name: 'plain', from: inputMint, to: outputMint, input: inputAmount, quoted: quotedOutputAmount },
    ...(cosigner === undefined ? { slippageBps, platformFeeBps } : { form: 'fill', maker: cosigner }),
    ...(intent.sponsor === undefined ? {} : { sponsor: intent.sponsor }),
    isNewAccount: returnedRentLamports !== undefined,
  };
  return compile(draftOf(intent.wallet, order), blockhash).message;
}

function draftOf(wallet: string, order: Order): Draft {
  const { from, to, form = 'route_v2', tip, isNewAccount, input = INPUT, maker = MAKER, sponsor } = order;
  const isFill = form === 'fill';
  const networkPayer = sponsor ?? wallet;
  const source = tokenAccountOf(wallet, from);
  const destination = tokenAccountOf(wallet, to, programOf(to));
  const made = (account: string, mint: string) =>
    creation({ payer: networkPayer, owner: wallet, account, mint, tokenProgram: programOf(mint) });
  const [nativeIn, nativeOut] = [from, to].map((mint) => mint === SOL && !isFill);
  const trade = isFill ? fillOf(wallet, order) : routeOf(wallet, order);
  return {
    payer: isFill ? maker : networkPayer,
    instructions: [
      unitLimit(UNITS),
      unitPrice(PRICE),
      ...(nativeIn ? [made(source, from), transfer(wallet, source, input), syncing(source)] : []),
      ...(isNewAccount ? [made(destination, to)] : []),
      trade,
      ...(nativeIn ? [closing(source, wallet, wallet)] : []),
      ...(nativeOut ? [closing(destination, wallet, wallet)] : []),
      ...(sponsor !== undefined && isNewAccount ? [transfer(wallet, sponsor, RENT)] : []),
      ...(tip === undefined ? [] : [transfer(networkPayer, PROGRAM_AUTHORITIES[5]!, tip)]),
    ],
    tables: order.withTables ? tablesOf(order) : new Map(),
  };
}

function routeOf(wallet: string, order: Order): DraftInstruction {
  const { from, to, legs = 1, platformFeeBps = 0, form, namesReceiver } = order;
  const { input = INPUT, quoted = QUOTED, slippageBps = SLIPPAGE_BPS } = order;
  const isShared = form === 'shared_accounts_route_v2';
  const [source, destination] = [tokenAccountOf(wallet, from), tokenAccountOf(wallet, to, programOf(to))];
  const tokens = [from, to, programOf(from), programOf(to)].map(readonly);
  const runtime = [JUPITER_EVENT_AUTHORITY, JUPITER_PROGRAM].map(readonly);
  const receiver = namesReceiver ? writable(destination) : readonly(JUPITER_PROGRAM);
  const authority = PROGRAM_AUTHORITIES[AUTHORITY_ID]!;
  const shared = [source, ...[from, to].map((mint) => tokenAccountOf(authority, mint, programOf(mint))), destination];
  const fixed = isShared
    ? [readonly(authority), signer(wallet), ...shared.map(writable), ...tokens, ...runtime]
    : [signer(wallet), ...[source, destination].map(writable), ...tokens, receiver, ...runtime];
  const lent = isShared ? [] : [readonly(wallet), writable(source), writable(destination)];
  const venues = Array.from({ length: legs }, (_, leg) => [
    readonly(venueOf(`program ${leg}`)),
    readonly(TOKEN_PROGRAM),
    ...lent,
    ...venueAccounts(leg).map(writable),
  ]).flat();
  const terms = [
    ['u64', input],
    ['u64', quoted],
    ['u16', slippageBps],
    ['u16', platformFeeBps],
    ['u16', 0],
  ] as const;
  const steps = Array.from({ length: legs }, (_, leg) =>
    bytes(['u8', 26 + leg], ['u16', 10_000], ['u8', 0], ['u8', 1]).toString('hex'),
  );
  const head = isShared ? bytes(SHARED_ACCOUNTS_ROUTE_V2, ['u8', AUTHORITY_ID]) : bytes(ROUTE_V2);
  const data = bytes(head.toString('hex'), ...terms, ['u32', legs], ...steps);
  return call(JUPITER_PROGRAM, [...fixed, ...venues], data);
}

const venueAccounts = (leg: number): string[] =>
  ['pool', 'vault in', 'vault out'].map((part) => venueOf(`${part} ${leg}`));

/** Returns two tables with both mints and some unused entries. */
function tablesOf({ from, to, legs = 1 }: Order): Map<string, string[]> {
  const unused = ['a', 'b'].map((name) => venueOf(`unused ${name}`));
  const first = [unused[0]!, ...venueAccounts(0), from, JUPITER_EVENT_AUTHORITY];
  const others = Array.from({ length: legs - 1 }, (_, i) => venueAccounts(i + 1)).flat();
  return new Map([
    [venueOf('table 1'), first],
    [venueOf('table 2'), [to, unused[1]!, ...others]],
  ]);
}

function fillOf(wallet: string, { from, to, input = INPUT, quoted = QUOTED, maker = MAKER }: Order): DraftInstruction {
  const absent = readonly(ORDER_ENGINE_PROGRAM);
  const [takerIn, takerOut] = [from, to].map((mint) =>
    mint === SOL ? absent : writable(tokenAccountOf(wallet, mint)),
  ) as [DraftAccount, DraftAccount];
  const [makerIn, makerOut] = [from, to].map((mint) => writable(tokenAccountOf(maker, mint))) as [
    DraftAccount,
    DraftAccount,
  ];
  const seeds = [Buffer.from('temporary-wsol-token-account'), addressBytes(maker)];
  const temporary = addressOf(programDerivedAddress(seeds, addressBytes(ORDER_ENGINE_PROGRAM)));
  return call(
    ORDER_ENGINE_PROGRAM,
    [
      payer(wallet),
      payer(maker),
      takerIn,
      makerIn,
      takerOut,
      makerOut,
      ...[from, programOf(from), to, programOf(to), SYSTEM_PROGRAM].map(readonly),
      ...(to === WRAPPED_SOL_MINT ? [writable(temporary)] : []),
    ],
    bytes(FILL, ['u64', input], ['u64', quoted], ['u64', EXPIRES_AT], '0000', '00'),
  );
}
