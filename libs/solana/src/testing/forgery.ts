import { PublicKey, type TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import type { MessageLimits } from '../checks/check-message.js';
import { messagePlan } from '../intents/message-plan.js';
import { compileMessage, computeUnitsOf, planInstructions } from '../messages/build-message.js';
import { decodeMessage } from '../messages/decode-message.js';
import { BLOCKHASH } from './actors.js';
import type { MessageParts } from './encode-message.js';
import { payerOf, type Scenario } from './scenarios.js';

/** The limits that the corpus is made for. */
export const CORPUS_LIMITS: MessageLimits = { maxNetworkFeeLamports: 100_000n };

/** A message that does something else than its scenario's intent, by what is wrong with it. */
export interface Forgery {
  readonly name: string;
  readonly message: Uint8Array;
}

/** Builds the honest instructions of a scenario. */
export function honestInstructions({ intent, computeUnitPriceMicroLamports }: Scenario): TransactionInstruction[] {
  const plan = messagePlan(intent);
  return planInstructions(plan, { computeUnitLimit: computeUnitsOf(plan), computeUnitPriceMicroLamports });
}

/** Builds the honest message of a scenario. */
export function honestMessage(scenario: Scenario, version?: 'legacy' | 'v0'): Uint8Array {
  return compile(new PublicKey(payerOf(scenario)), honestInstructions(scenario), version);
}

/** Compiles instructions into a v0 message, or a legacy one. Ours gives the SDK's bytes, in a tenth of its time. */
export function compile(
  payer: PublicKey,
  instructions: TransactionInstruction[],
  version: 'legacy' | 'v0' = 'v0',
): Uint8Array {
  if (version === 'v0') return compileMessage({ payer, blockhash: BLOCKHASH, instructions });
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: BLOCKHASH, instructions });
  return message.compileToLegacyMessage().serialize();
}

/** Copies a message's parts for tampering. */
export function partsOf(bytes: Uint8Array): MessageParts {
  const message = decodeMessage(bytes);
  return {
    prefix: message.version === 0 ? [0x80] : [],
    header: [message.requiredSignatures, message.readonlySigned, message.readonlyUnsigned],
    keys: [...message.keys],
    blockhash: message.blockhash,
    instructions: message.instructions.map(({ program, accounts, data }) => ({
      program,
      accounts: [...accounts],
      data,
    })),
    lookups: message.version === 0 ? [] : undefined,
    suffix: new Uint8Array(),
  };
}
