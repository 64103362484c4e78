import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createSyncNativeInstruction,
} from '@solana/spl-token';
import { SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { Chain } from '../../chain/chain.js';
import { SYSTEM_PROGRAM } from '../../chain/programs.js';
import { type Key, key, keyText } from '../../encoding/keys.js';
import type { Route } from '../../market/market.js';
import { publicKey } from '../../tokens/token-accounts.js';
import { loadTables, type Part } from './draft.js';
import { lackOf } from './funds.js';
import { budgetParts, type NetworkFees, SIGNATURE_LAMPORTS, tipParts } from './network-fees.js';
import type { Offer, Plan, Problem } from './offer.js';
import { quotedOutput } from './route-data.js';
import { type Side, sideOf } from './side.js';

const PROBLEMS: Readonly<Record<'input' | 'lamports', Problem>> = {
  input: { code: 1, message: 'Insufficient funds' },
  lamports: { code: 2, message: 'Top up SOL for gas' },
};

/**
 * An offer over the pools. The taker pays for everything and is the only signer, unless another pays: then the taker
 * returns the rent of an account of wrapped SOL, once that is closed.
 */
export function poolOffer(chain: Chain, route: Route, terms: { slippageBps: number; platformFeeBps: number }): Offer {
  const { inAmount, priceImpactPct, legs } = route;
  const anyKey = keyText(SYSTEM_PROGRAM);
  const anyParties = { wallet: anyKey, source: anyKey, destination: anyKey };
  return {
    router: 'metis',
    inputMint: key(route.inputMint),
    outputMint: key(route.outputMint),
    inAmount,
    outAmount: quotedOutput(route.instruction(anyParties, terms)),
    ...terms,
    priceImpactPct,
    legs,
    plan: (taker, fees, payer = taker) => plan(chain, route, { taker, payer, fees, terms }),
  };
}

interface Circumstances {
  readonly taker: Key;
  /** Payer of the network. */
  readonly payer: Key;
  readonly fees: NetworkFees;
  readonly terms: { slippageBps: number; platformFeeBps: number };
}

function plan(chain: Chain, route: Route, { taker, payer, fees, terms }: Circumstances): Plan {
  const [input, output] = [route.inputMint, route.outputMint].map((mint) => sideOf(chain, taker, key(mint))!);
  const user = { wallet: keyText(taker), source: keyText(input!.account), destination: keyText(output!.account) };
  const parts: Part[] = [
    ...budgetParts(fees),
    ...setup({ taker, payer }, input!, output!, route.inAmount),
    { role: 'swap', instruction: route.instruction(user, terms) },
    ...cleanup({ taker, payer }, input!, output!),
    ...tipParts(fees, payer),
  ];
  const rentLamports = output!.isNative || output!.exists ? 0n : output!.rentLamports;
  const wrapped = [input!, output!].find((side) => side.isNative);
  const costs = {
    networkLamports: SIGNATURE_LAMPORTS + fees.priorityLamports + fees.tipLamports,
    rentLamports,
    passingRentLamports: wrapped && !wrapped.exists ? wrapped.rentLamports : 0n,
  };
  const { inAmount } = route;
  const lack =
    payer === taker
      ? lackOf(chain, taker, input!, { inAmount, ...costs })
      : (lackOf(chain, taker, input!, { inAmount, ...NO_COSTS }) ??
        lackOf(chain, payer, NATIVE, { inAmount: 0n, ...costs }));
  const draft = { payer, parts, tables: loadTables(chain, route.lookupTables) };
  return { draft, input: input!, output: output!, rentLamports, problem: lack && PROBLEMS[lack] };
}

const NO_COSTS = { networkLamports: 0n, rentLamports: 0n, passingRentLamports: 0n };
const NATIVE = { isNative: true } as const;

interface Parties {
  readonly taker: Key;
  readonly payer: Key;
}

/** Accounts that are missing are made; native SOL is wrapped. */
function setup({ taker, payer }: Parties, input: Side, output: Side, inAmount: bigint): Part[] {
  const instructions: TransactionInstruction[] = [];
  if (input.isNative) {
    const wrapped = publicKey(input.account);
    instructions.push(
      createAccount(payer, taker, input),
      SystemProgram.transfer({ fromPubkey: publicKey(taker), toPubkey: wrapped, lamports: inAmount }),
      createSyncNativeInstruction(wrapped),
    );
  }
  const isMade = output.isNative ? payer === taker || !output.exists : !output.exists;
  if (isMade) instructions.push(createAccount(payer, taker, output));
  return instructions.map((instruction) => ({ role: 'setup', instruction }));
}

/** Returns what is left wrapped to the wallet, and its rent to another payer who made the account. */
function cleanup({ taker, payer }: Parties, input: Side, output: Side): Part[] {
  const wallet = publicKey(taker);
  const wrapped = [input, output].filter((side) => side.isNative);
  const closings = wrapped.map(({ account }) => createCloseAccountInstruction(publicKey(account), wallet, wallet));
  const returned = wrapped
    .filter(({ exists }) => payer !== taker && !exists)
    .map(({ rentLamports }) =>
      SystemProgram.transfer({ fromPubkey: wallet, toPubkey: publicKey(payer), lamports: rentLamports }),
    );
  return [...closings, ...returned].map((instruction) => ({ role: 'cleanup', instruction }));
}

/** Makes an owner's associated token account, if it is not there. */
export function createAccount(payer: Key, owner: Key, { account, mint, program }: Side): TransactionInstruction {
  const [from, at, who, what] = [payer, account, owner, mint].map(publicKey);
  return createAssociatedTokenAccountIdempotentInstruction(from!, at!, who!, what!, publicKey(program));
}
