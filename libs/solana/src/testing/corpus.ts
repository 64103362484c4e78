import type { intentV1 } from '@agent-wallet/contracts';
import { addressBytes } from '../addresses/address.js';
import { COMPUTE_BUDGET_PROGRAM } from '../addresses/programs.js';
import { decodeMessage } from '../messages/decode-message.js';
import { BLOCKHASH } from './actors.js';
import { changedIntents } from './changed-intents.js';
import { forgedBytes } from './forged-bytes.js';
import { forgedFees } from './forged-fees.js';
import { forgedInstructions } from './forged-instructions.js';
import { forgedLiquidity } from './forged-liquidity.js';
import { forgedMoves } from './forged-moves.js';
import { forgedNetworkFees } from './forged-network-fees.js';
import { forgedSponsors } from './forged-sponsors.js';
import { forgedToken2022 } from './forged-token-2022.js';
import { forgedUnwraps } from './forged-unwraps.js';
import { honestMessage } from './forgery.js';
import { type Operator, scenarios } from './scenarios.js';

/** A message and the intent under which a signature is asked for. */
export interface CorpusCase {
  /** The kind of message that it is, or is forged from. */
  readonly scenario: string;
  /** Unique: the scenario, and what is wrong. */
  readonly name: string;
  readonly intent: intentV1.Intent;
  readonly message: Uint8Array;
}

/**
 * Messages that must be signed: every kind there is, in both versions. The wallet is any wallet's address; the operator's
 * are the signer's own where they are to sign.
 */
export function honestMessages(wallet: string, operator?: Operator): CorpusCase[] {
  return scenarios(wallet, operator).flatMap((scenario) =>
    (['v0', 'legacy'] as const).map((version) => ({
      scenario: scenario.name,
      name: `${scenario.name} (${version})`,
      intent: scenario.intent,
      message: honestMessage(scenario, version),
    })),
  );
}

/** Messages that must never be signed under their intents, because they do something else. */
export function forgedMessages(wallet: string, operator?: Operator): CorpusCase[] {
  return scenarios(wallet, operator).flatMap((scenario) => {
    const forged = [
      ...forgedInstructions(scenario),
      ...forgedBytes(scenario),
      ...forgedNetworkFees(scenario),
      ...forgedFees(scenario),
      ...forgedLiquidity(scenario),
      ...forgedMoves(scenario),
      ...forgedSponsors(scenario),
      ...forgedUnwraps(scenario),
      ...forgedToken2022(scenario),
    ];
    const message = honestMessage(scenario);
    const misread = changedIntents(scenario).map(({ name, intent }) => ({
      scenario: scenario.name,
      name: `${scenario.name}: an intent with ${name}`,
      intent,
      message,
    }));
    const { intent } = scenario;
    const named = ({ name, message: bytes }: { name: string; message: Uint8Array }) => ({
      scenario: scenario.name,
      name: `${scenario.name}: ${name}`,
      intent,
      message: bytes,
    });
    return [...forged.map(named), ...misread];
  });
}

/** Returns the position of the blockhash bytes in a message. Only this part may change without any other effect. */
export function blockhashRange(message: Uint8Array): { from: number; to: number } {
  const { blockhash } = decodeMessage(message);
  const from = blockhash.byteOffset - message.byteOffset;
  return { from, to: from + blockhash.length };
}

/**
 * Returns the indexes of all bytes that a builder may choose: the blockhash, and the compute budget within the bound of
 * the fee.
 */
export function freeBytes(message: Uint8Array): Set<number> {
  const { blockhash, instructions, keys } = decodeMessage(message);
  const budget = addressBytes(COMPUTE_BUDGET_PROGRAM);
  const free = instructions
    .filter(({ program }) => Buffer.compare(keys[program]!, budget) === 0)
    .map(({ data }) => data);
  return new Set(
    [blockhash, ...free].flatMap(({ byteOffset, length }) =>
      Array.from({ length }, (_, i) => byteOffset - message.byteOffset + i),
    ),
  );
}

export { BLOCKHASH as CORPUS_BLOCKHASH };
export { newAddress } from './actors.js';
export { CORPUS_LIMITS } from './forgery.js';
export { kindOf, randomIntents } from './random-intents.js';
