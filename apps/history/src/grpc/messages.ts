import { type historyV1, operationsV1 } from '@agent-wallet/contracts';
import type { Checkpoint } from '@agent-wallet/contracts/audit';
import type { ValuedRecord } from '../domain/transaction-record.js';
import type { ChainPlace, Change } from '../ports/change-store.js';
import type { LinkedEvent } from '../ports/event-chain-store.js';

/** Converts an event with its place in the chain to its wire form. */
export function toChainedEvent({
  sequence,
  payload,
  previousHash,
  hash,
  eventId,
}: LinkedEvent): historyV1.ChainedEvent {
  const [bytes, before, own] = [payload, previousHash, hash].map((each) => Buffer.from(each));
  return { eventId, sequence: BigInt(sequence), payload: bytes!, previousHash: before!, hash: own! };
}

/** Converts a checkpoint that the signer signed for a chain to its wire form. */
export function toCheckpoint({ size, rootHash, signature, keyId, signedAtMs }: Checkpoint): historyV1.Checkpoint {
  return {
    size: BigInt(size),
    rootHash: Buffer.from(rootHash),
    signature: Buffer.from(signature),
    keyId,
    signedAtMs: BigInt(signedAtMs),
  };
}

/** Converts a place in an agent's chain to its wire form. */
export function toPlace({ agentId, sequence }: ChainPlace): historyV1.ChainPlace {
  return { agentId, sequence: BigInt(sequence) };
}

/** Reads a place in an agent's chain. */
export function fromPlace({ agentId, sequence }: historyV1.ChainPlace): ChainPlace {
  return { agentId, sequence: Number(sequence) };
}

/** Converts an event, as those learn of it who follow the agent, to its wire form. */
export function toChange({ eventId, payload, position, ...place }: Change): historyV1.Change {
  return { place: toPlace(place), eventId, payload: Buffer.from(payload), position: BigInt(position) };
}

/** Reads the conditions on the records of a list. */
export function toFilter({ fromMs, toMs, ...texts }: historyV1.TransactionFilter) {
  const time = (ms: bigint | undefined) => (ms === undefined ? undefined : Number(ms));
  return { ...texts, fromMs: time(fromMs), toMs: time(toMs) };
}

/** Converts a record to the form that agents see. */
export function toTransaction({ recipient, ...record }: ValuedRecord): historyV1.Transaction {
  return {
    id: record.id,
    action: record.action,
    asset: record.asset,
    amount: record.amount,
    decimals: record.decimals,
    to: recipient,
    signature: record.signature,
    status: record.shownStatus,
    facts: operationsV1.OperationFacts.decode(record.facts),
    createdAtMs: BigInt(record.createdAtMs),
    updatedAtMs: BigInt(record.updatedAtMs),
    valueUsdMicros: record.valueUsdMicros,
  };
}
