import type { intentV1 } from '@agent-wallet/contracts';
import { PublicKey } from '@solana/web3.js';
import type { MessageLimits } from '../checks/check-message.js';
import { decodeMessage } from '../messages/decode-message.js';
import { BLOCKHASH, OTHER_MINT, THIEF, transferOf } from './actors.js';
import { forgedBytes } from './forged-bytes.js';
import { forgedFees } from './forged-fees.js';
import { forgedInstructions } from './forged-instructions.js';
import { compile, honestInstructions } from './forgery.js';
import { type Scenario, scenarios } from './scenarios.js';

/** A message and the intent under which a signature is asked for. */
export interface CorpusCase {
  /** What is wrong, and with which transfer. Unique. */
  readonly name: string;
  readonly intent: intentV1.Intent;
  readonly message: Uint8Array;
}

/** The limits that the corpus is made for. */
export const CORPUS_LIMITS: MessageLimits = { maxNetworkFeeLamports: 100_000n };

/** Messages that must be signed: every kind of transfer, in both versions. The wallet is any wallet's address. */
export function honestMessages(wallet: string): CorpusCase[] {
  return scenarios(wallet).flatMap((scenario) =>
    (['v0', 'legacy'] as const).map((version) => ({
      name: `${scenario.name} (${version})`,
      intent: scenario.intent,
      message: compile(new PublicKey(wallet), honestInstructions(scenario), version),
    })),
  );
}

/** Messages that must never be signed under their intents, because they do something else. */
export function forgedMessages(wallet: string): CorpusCase[] {
  const forged = scenarios(wallet).flatMap((scenario) =>
    [...forgedInstructions(scenario), ...forgedBytes(scenario), ...forgedFees(scenario)].map(({ name, message }) => ({
      name: `${scenario.name}: ${name}`,
      intent: scenario.intent,
      message,
    })),
  );
  return [...forged, ...otherIntents(wallet)];
}

/** Honest messages under an intent that is not theirs, or none at all. */
function otherIntents(wallet: string): CorpusCase[] {
  return scenarios(wallet).flatMap((scenario) => {
    const message = compile(new PublicKey(wallet), honestInstructions(scenario));
    return changedIntents(scenario).map(({ name, intent }) => ({
      name: `${scenario.name}: an intent with ${name}`,
      intent,
      message,
    }));
  });
}

function changedIntents({ intent }: Scenario): { name: string; intent: intentV1.Intent }[] {
  const transfer = transferOf(intent);
  const changes: Partial<intentV1.Transfer>[] = [
    { recipient: THIEF.toBase58() },
    { recipient: '' },
    { amount: 1n },
    { amount: 0n },
    { amount: -transfer.amount },
    { amount: 2n ** 64n },
    { decimals: transfer.decimals + 1 },
    { decimals: -1 },
    { mint: OTHER_MINT.toBase58() },
    { mint: 'not an address' },
    { tokenProgram: THIEF.toBase58() },
    { memo: 'another memo' },
    { createsRecipientAccount: !transfer.createsRecipientAccount },
  ];
  return [
    { name: 'no action', intent: { ...intent, action: undefined } },
    { name: 'no wallet', intent: { ...intent, wallet: '' } },
    { name: 'another wallet', intent: { ...intent, wallet: THIEF.toBase58() } },
    ...changes.map((change) => ({
      name: Object.entries(change)
        .map(([field, value]) => `${field} ${value}`)
        .join(),
      intent: { ...intent, action: { $case: 'transfer' as const, value: { ...transfer, ...change } } },
    })),
  ];
}

/**
 * Where the bytes of the blockhash stand in a message: the one part that a message may change without doing
 * anything else.
 */
export function blockhashRange(message: Uint8Array): { from: number; to: number } {
  const { blockhash } = decodeMessage(message);
  const from = blockhash.byteOffset - message.byteOffset;
  return { from, to: from + blockhash.length };
}

export { BLOCKHASH as CORPUS_BLOCKHASH };
