import type { historyV1 } from '@agent-wallet/contracts';
import { envelopeOf } from '@agent-wallet/events';
import { type ExactJson, integerNumber, isoTime } from './exact-json.js';

/**
 * Returns a part of an agent's hash chain, and the signed checkpoint of all of it. Hashes are hexadecimal, bytes are
 * base64.
 */
export function proofResponse(agentId: string, { events, checkpoint, hasMore }: historyV1.GetProofResponse): ExactJson {
  return {
    agentId,
    events: events.map((event) => eventResponse(agentId, event)),
    chain: events.map(({ eventId, hash, previousHash }) => ({
      eventId,
      hash: hash.toString('hex'),
      previousHash: previousHash.toString('hex'),
    })),
    checkpoint: checkpoint ? checkpointResponse(checkpoint) : null,
    hasMore,
    lastEventId: events.at(-1)?.eventId ?? null,
  };
}

function eventResponse(agentId: string, { eventId, sequence, payload }: historyV1.ChainedEvent): ExactJson {
  const { type, time } = envelopeOf({ eventId, agentId, payload });
  return { eventId, sequence: integerNumber(sequence), type, occurredAt: time, payload: payload.toString('base64') };
}

function checkpointResponse({ size, rootHash, signature, keyId, signedAtMs }: historyV1.Checkpoint): ExactJson {
  return {
    size: integerNumber(size),
    rootHash: rootHash.toString('hex'),
    signature: signature.toString('base64'),
    keyId,
    signedAt: isoTime(signedAtMs),
  };
}
