// What the check of a trade's bytes costs.
import { honestSwaps, SWAP_CORPUS_LIMITS } from '@agent-wallet/jupiter/corpus';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import { associatedTokenAddress, encodeBase58, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { Keypair } from '@solana/web3.js';
import { randomBytes } from 'node:crypto';
import { cpuOfPart } from '../measure/part-cpu.mjs';
import { ownCpuUs } from '../measure/process-cpu.mjs';
import { median } from '../measure/statistics.mjs';

const STRANGERS = 30;
/** As many derived addresses as a process keeps. */
const KEPT_ADDRESSES = 10_000;

const newWallet = () => Keypair.generate().publicKey.toBase58();

/**
 * CPU of one check in µs, over every honest form of a trade in turn: `known` for a wallet that has just traded, `first`
 * for one whose token accounts must be derived.
 */
export async function costOfCheck({ rounds, roundMs }) {
  const swaps = honestSwaps(newWallet());
  const known = () => cpuOfPart({ units: swaps.length, call: () => swaps.forEach(check) }, roundMs);
  await known(); // for the compiler
  const costs = [];
  for (let i = 0; i < rounds; i += 1) costs.push(await known());
  return { known: median(costs), first: costOfFirst() };
}

function check({ message, intent, resolvedAddresses }) {
  checkSwapMessage(message, intent, resolvedAddresses, SWAP_CORPUS_LIMITS);
}

function costOfFirst() {
  const swaps = Array.from({ length: STRANGERS }, (_, i) => {
    const forms = honestSwaps(newWallet());
    return forms[i % forms.length];
  });
  const owner = newWallet();
  for (let i = 0; i < KEPT_ADDRESSES; i += 1) {
    associatedTokenAddress({ owner, mint: encodeBase58(randomBytes(32)), tokenProgram: TOKEN_PROGRAM });
  }
  const beforeUs = ownCpuUs();
  swaps.forEach(check);
  return (ownCpuUs() - beforeUs) / swaps.length;
}
