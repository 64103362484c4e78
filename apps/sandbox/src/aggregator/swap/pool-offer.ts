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

/** An offer over the pools: the taker pays for everything and is the only signer. */
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
    plan: (taker, fees) => plan(chain, route, { taker, fees, terms }),
  };
}

interface Circumstances {
  readonly taker: Key;
  readonly fees: NetworkFees;
  readonly terms: { slippageBps: number; platformFeeBps: number };
}

function plan(chain: Chain, route: Route, { taker, fees, terms }: Circumstances): Plan {
  const [input, output] = [route.inputMint, route.outputMint].map((mint) => sideOf(chain, taker, key(mint))!);
  const user = { wallet: keyText(taker), source: keyText(input!.account), destination: keyText(output!.account) };
  const parts: Part[] = [
    ...budgetParts(fees),
    ...setup(taker, input!, output!, route.inAmount),
    { role: 'swap', instruction: route.instruction(user, terms) },
    ...cleanup(taker, input!, output!),
    ...tipParts(fees, taker),
  ];
  const rentLamports = output!.isNative || output!.exists ? 0n : output!.rentLamports;
  const wrapped = [input!, output!].find((side) => side.isNative);
  const lack = lackOf(chain, taker, input!, {
    inAmount: route.inAmount,
    networkLamports: SIGNATURE_LAMPORTS + fees.priorityLamports + fees.tipLamports,
    rentLamports,
    passingRentLamports: wrapped && !wrapped.exists ? wrapped.rentLamports : 0n,
  });
  const draft = { payer: taker, parts, tables: loadTables(chain, route.lookupTables) };
  return { draft, input: input!, output: output!, rentLamports, problem: lack && PROBLEMS[lack] };
}

/** Accounts that are missing are made; native SOL is wrapped. */
function setup(taker: Key, input: Side, output: Side, inAmount: bigint): Part[] {
  const instructions: TransactionInstruction[] = [];
  if (input.isNative) {
    const wrapped = publicKey(input.account);
    instructions.push(
      createAccount(taker, taker, input),
      SystemProgram.transfer({ fromPubkey: publicKey(taker), toPubkey: wrapped, lamports: inAmount }),
      createSyncNativeInstruction(wrapped),
    );
  }
  if (output.isNative || !output.exists) instructions.push(createAccount(taker, taker, output));
  return instructions.map((instruction) => ({ role: 'setup', instruction }));
}

/** What is left wrapped goes back to the wallet. */
function cleanup(taker: Key, input: Side, output: Side): Part[] {
  const wallet = publicKey(taker);
  return [input, output]
    .filter((side) => side.isNative)
    .map(({ account }) => ({
      role: 'cleanup',
      instruction: createCloseAccountInstruction(publicKey(account), wallet, wallet),
    }));
}

/** Makes an owner's associated token account, if it is not there. */
export function createAccount(payer: Key, owner: Key, { account, mint, program }: Side): TransactionInstruction {
  const [from, at, who, what] = [payer, account, owner, mint].map(publicKey);
  return createAssociatedTokenAccountIdempotentInstruction(from!, at!, who!, what!, publicKey(program));
}
