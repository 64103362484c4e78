import { proofResponse } from '../../application/responses/proof-response.js';
import { z } from 'zod';
import { ADDRESS, HASH, ID } from '../schemas/examples.js';
import { queryInteger } from '../schemas/fields.js';
import { defineRoute } from '../route.js';
import { base64, count, sha256, time, uuid } from '../schemas/units.js';

const AGENT = '01938f70-0000-7000-8000-000000000001';

const eventRecord = z
  .strictObject({
    eventId: uuid(),
    sequence: count("Number among the wallet's events, from 1."),
    type: z.string().meta({ description: '`agentwallet.operation.confirmed.v1` …' }),
    occurredAt: time(),
    payload: base64('The event, exactly the bytes that the hash covers: protobuf.'),
  })
  .meta({ id: 'HistoryEvent' });

const linkRecord = z
  .strictObject({
    eventId: uuid(),
    hash: sha256(),
    previousHash: sha256('Of the previous event; zeros before the first.'),
  })
  .meta({ id: 'HistoryLink' });

const checkpointRecord = z
  .strictObject({
    size: count('Events in the chain when it was signed.'),
    rootHash: sha256('Hash of the last of them.'),
    signature: base64('Ed25519.'),
    keyId: z.string().meta({ description: 'The public key in base58. Keep it: it never changes.' }),
    signedAt: time(),
  })
  .meta({ id: 'Checkpoint' });

export const proofRoute = defineRoute(
  {
    id: 'getHistoryProof',
    method: 'GET',
    path: '/wallets/me/history/proof',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get the events behind history as a signed hash chain',
    notes:
      'Everything that was ever recorded of this wallet, the oldest first, acts of operators included. Each hash is the ' +
      'SHA-256 of `agentwallet/event/v1\\n`, the hash before, the sequence (8 bytes, big-endian), agent id, event id (16 bytes each) and ' +
      'payload. Keep pages and checkpoints: `npm run audit:verify` finds what was altered, dropped or reordered since. A ' +
      'checkpoint is signed within about ten seconds; it covers the events up to its `size`.',
    query: z.strictObject({
      after: z
        .string('must be given once')
        .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be the id of an event')
        .optional()
        .meta({ description: '`lastEventId` of the previous page; omit for the first page.' }),
      limit: queryInteger({ min: 1, max: 100, default: 50 }, 'Entries in the answer.'),
    }),
    response: z
      .strictObject({
        agentId: uuid(),
        events: z.array(eventRecord),
        chain: z.array(linkRecord).meta({ description: 'One link for each event.' }),
        checkpoint: checkpointRecord.nullable().meta({ description: 'The latest; null before the first.' }),
        hasMore: z.boolean(),
        lastEventId: uuid().nullable().meta({ description: 'The last event here: `after` of the next page.' }),
      })
      .meta({ id: 'HistoryProof' }),
    errors: ['NOT_FOUND'],
    example: {
      response: {
        agentId: AGENT,
        events: [
          {
            eventId: ID,
            sequence: 1,
            type: 'agentwallet.wallet.created.v1',
            occurredAt: '2026-11-21T10:02:00.000Z',
            payload: 'CiQwMTkzOGY3MC04',
          },
        ],
        chain: [{ eventId: ID, hash: HASH, previousHash: '0'.repeat(64) }],
        checkpoint: {
          size: 1,
          rootHash: HASH,
          signature: `${'A'.repeat(86)}==`,
          keyId: ADDRESS,
          signedAt: '2026-11-21T10:02:10.000Z',
        },
        hasMore: false,
        lastEventId: ID,
      },
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { history } }) => {
    const { after = '', limit } = query;
    const proof = await history.prove({ agentId, afterEventId: after.toLowerCase(), limit });
    return { data: proofResponse(agentId, proof) };
  },
);
