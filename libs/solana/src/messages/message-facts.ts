import { encodeBase58 } from '../addresses/base58.js';
import { COMPUTE_BUDGET_PROGRAM } from '../addresses/programs.js';
import { networkFee, readComputeUnitLimit, readComputeUnitPrice } from './compute-budget.js';
import { type DecodedMessage, decodeMessage } from './decode-message.js';

/** The properties of a message that are known without its purpose. */
export interface MessageFacts {
  readonly version: 'legacy' | 0;
  /** Base58 address of the first signer, who pays the network fee. */
  readonly feePayer: string;
  /** Base58 addresses that must sign, in the order of the signatures. */
  readonly requiredSigners: readonly string[];
  /** Base58 blockhash that bounds the message's life (or a nonce). */
  readonly blockhash: string;
  /** Base58 addresses of the programs called, one an instruction. */
  readonly programs: readonly string[];
  readonly usesLookupTables: boolean;
}

/** Reads the facts of a serialized message. @throws MalformedMessage */
export function messageFacts(bytes: Uint8Array): MessageFacts {
  const message = decodeMessage(bytes);
  const signers = signersOf(message);
  return {
    version: message.version,
    feePayer: signers[0]!,
    requiredSigners: signers,
    blockhash: encodeBase58(message.blockhash),
    programs: message.instructions.map(({ program }) => encodeBase58(message.keys[program]!)),
    usesLookupTables: message.lookups.length > 0,
  };
}

/**
 * Returns the base58 addresses that must sign a message, in the order of the signatures; the first pays.
 * @throws MalformedMessage
 */
export function requiredSigners(bytes: Uint8Array): string[] {
  return signersOf(decodeMessage(bytes));
}

function signersOf({ keys, requiredSignatures }: DecodedMessage): string[] {
  return keys.slice(0, requiredSignatures).map(encodeBase58);
}

/** Default compute units of an instruction, where a message names no limit. */
const DEFAULT_UNITS_PER_INSTRUCTION = 200_000;

/**
 * Lamports that the network takes when the message lands, whether it succeeds or not: signatures, and the offered
 * price for the compute units asked for. @throws MalformedMessage
 */
export function networkFeeLamports(bytes: Uint8Array): bigint {
  const message = decodeMessage(bytes);
  const budget = {
    computeUnitLimit: message.instructions.length * DEFAULT_UNITS_PER_INSTRUCTION,
    computeUnitPriceMicroLamports: 0n,
  };
  for (const data of computeBudgetData(message)) {
    budget.computeUnitLimit = readComputeUnitLimit(data) ?? budget.computeUnitLimit;
    budget.computeUnitPriceMicroLamports = readComputeUnitPrice(data) ?? budget.computeUnitPriceMicroLamports;
  }
  return networkFee(message.requiredSignatures, budget);
}

function computeBudgetData({ instructions, keys }: DecodedMessage): Uint8Array[] {
  return instructions
    .filter(({ program }) => encodeBase58(keys[program]!) === COMPUTE_BUDGET_PROGRAM)
    .map(({ data }) => data);
}
