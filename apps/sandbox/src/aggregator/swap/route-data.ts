import { TransactionInstruction } from '@solana/web3.js';

const ROUTE_V2 = 'bb64facc31c4af14';
const SHARED_ROUTE_V2 = 'd19853937cfed8e9';

/** The output that a route or a fill speaks of in its data, in base units. */
export function quotedOutput({ data }: TransactionInstruction): bigint {
  return data.readBigUInt64LE(quotedAt(data));
}

/** The same instruction, speaking of another output. */
export function withQuotedOutput(
  { programId, keys, data }: TransactionInstruction,
  units: bigint,
): TransactionInstruction {
  const patched = Buffer.from(data);
  patched.writeBigUInt64LE(units, quotedAt(data));
  return new TransactionInstruction({ programId, keys, data: patched });
}

/** Whether it may name one more account that receives the output. */
export function isPlainRoute({ data }: TransactionInstruction): boolean {
  return data.toString('hex', 0, 8) === ROUTE_V2;
}

/** Behind discriminator and input; routes over the program's own accounts have an id before that. */
function quotedAt(data: Buffer): number {
  return data.toString('hex', 0, 8) === SHARED_ROUTE_V2 ? 17 : 16;
}
