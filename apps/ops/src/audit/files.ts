import { type AuditRecord, type ProofPage, ProofPages } from '@agent-wallet/audit';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const BYTES = ['hash', 'previousHash', 'rootHash', 'payload', 'signature'];

/** Writes one record as a line of an export: bytes are base64. */
export function lineOf(record: AuditRecord): string {
  return JSON.stringify(record, (_, value: unknown) => {
    // A buffer is turned into an object before.
    const bytes = isBuffer(value) ? value.data : value instanceof Uint8Array ? value : undefined;
    return bytes ? Buffer.from(bytes).toString('base64') : value;
  });
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

/** Reads pages as the API returned them, a file each, in the order of the agent's events: `data`, or the whole response. */
export async function readPages(files: readonly string[]): Promise<ProofPages> {
  const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as ProofPage & { data?: ProofPage };
  const pages = (await Promise.all(files.map(read))).map((page) => page.data ?? page);
  const proof = new ProofPages(pages[0]!.agentId);
  for (const page of pages) proof.add(page);
  return proof;
}
