import type { AuditRecord, Checkpoint, CheckpointScope } from '@agent-wallet/audit';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const BYTES = ['hash', 'previousHash', 'rootHash', 'payload', 'signature'];

/** Writes one record as a line of an export: bytes are base64. */
export function lineOf(record: AuditRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    isBuffer(value) ? Buffer.from(value.data).toString('base64') : value,
  );
}

const isBuffer = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer';

/** Reads an export, or checkpoints that were saved. @throws SyntaxError */
export async function* readLines(file: string): AsyncGenerator<AuditRecord> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line) continue;
    yield JSON.parse(line, (name, value: unknown) =>
      BYTES.includes(name) && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    ) as AuditRecord;
  }
}

/** `data` of an answer of `GET /wallets/me/history/proof`, or the whole answer. */
interface ProofPage {
  readonly data?: ProofPage;
  readonly agentId: string;
  readonly events: readonly { eventId: string; sequence: number; occurredAt: string; payload: string }[];
  readonly chain: readonly { hash: string; previousHash: string }[];
  readonly checkpoint: { size: number; rootHash: string; signature: string; keyId: string; signedAt: string } | null;
}

/** Reads pages as the API answered them, a file each, in the order of the agent's events. */
export async function* readPages(files: readonly string[]): AsyncGenerator<AuditRecord> {
  const pages = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8')) as ProofPage));
  const bare = pages.map((page) => page.data ?? page);
  for (const page of bare) if (page.checkpoint) yield { kind: 'checkpoint', ...checkpointOf(page, page.checkpoint) };
  for (const { agentId, events, chain } of bare)
    for (const [n, { eventId, sequence, occurredAt, payload }] of events.entries())
      yield {
        kind: 'event',
        position: undefined,
        eventId,
        agentId,
        sequence,
        occurredAtMs: Date.parse(occurredAt),
        previousHash: hex(chain[n]?.previousHash),
        hash: hex(chain[n]?.hash),
        payload: Buffer.from(payload, 'base64'),
      };
}

function checkpointOf({ agentId }: ProofPage, given: NonNullable<ProofPage['checkpoint']>): Checkpoint {
  const scope: CheckpointScope = `agent:${agentId}`;
  const signature = Buffer.from(given.signature, 'base64');
  const signedAtMs = Date.parse(given.signedAt);
  return { scope, size: given.size, rootHash: hex(given.rootHash), signature, keyId: given.keyId, signedAtMs };
}

const hex = (text = ''): Buffer => Buffer.from(text, 'hex');
