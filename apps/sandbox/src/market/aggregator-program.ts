import { type PublicKey, TransactionInstruction } from '@solana/web3.js';
import { ByteWriter } from '../encoding/bytes.js';
import { type Key, key } from '../encoding/keys.js';
import { publicKey } from '../tokens/token-accounts.js';

/** The aggregator's program, which holds the pools too. */
export const AGGREGATOR_PROGRAM = key('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4');
/** The program's PDA ["authority", 0]: owner of the vaults and of the program's own token accounts. */
export const PROGRAM_AUTHORITY = key('GGztQqQ6pCPaJQnNpXBgELr5cs3WwDakRbh1iEMzjgSJ');
/** The program's PDA ["__event_authority"]. */
export const EVENT_AUTHORITY = key('D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf');

const ROUTE_V2 = Buffer.from('bb64facc31c4af14', 'hex');
const SHARED_ACCOUNTS_ROUTE_V2 = Buffer.from('d19853937cfed8e9', 'hex');

/** One swap of a route's plan. `inputIndex` 0 takes its share of the input, others go on with what came before. */
export interface Step {
  readonly swapTag: number;
  readonly bps: number;
  readonly inputIndex: number;
  readonly outputIndex: number;
  /** Token program of what comes out. */
  readonly outputProgram: Key;
  readonly pool: Key;
  readonly vaultIn: Key;
  readonly vaultOut: Key;
}

/** Everything a routing instruction says. */
interface RouteOrder {
  readonly wallet: Key;
  readonly source: Key;
  readonly destination: Key;
  readonly sourceMint: Key;
  readonly destinationMint: Key;
  readonly sourceProgram: Key;
  readonly destinationProgram: Key;
  /** The program's own token accounts, when the route goes over them. */
  readonly shared: { readonly source: Key; readonly destination: Key } | undefined;
  readonly inAmount: bigint;
  readonly quotedOutAmount: bigint;
  readonly slippageBps: number;
  readonly platformFeeBps: number;
  readonly steps: readonly Step[];
}

interface AccountMeta {
  readonly pubkey: PublicKey;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

/** The aggregator's route_v2, or shared_accounts_route_v2, in the real layouts. */
export function routeInstruction(order: RouteOrder): TransactionInstruction {
  const steps = order.steps.flatMap(({ outputProgram, pool, vaultIn, vaultOut }) => [
    readonly(outputProgram),
    ...[pool, vaultIn, vaultOut].map(writable),
  ]);
  return new TransactionInstruction({
    programId: publicKey(AGGREGATOR_PROGRAM),
    keys: [...fixedAccounts(order), readonly(PROGRAM_AUTHORITY), ...steps],
    data: routeData(order),
  });
}

function fixedAccounts(order: RouteOrder): AccountMeta[] {
  const signer = { ...readonly(order.wallet), isSigner: true };
  const { sourceMint, destinationMint, sourceProgram, destinationProgram, shared } = order;
  const tokens = [sourceMint, destinationMint, sourceProgram, destinationProgram].map(readonly);
  const runtime = [EVENT_AUTHORITY, AGGREGATOR_PROGRAM].map(readonly);
  if (!shared) {
    // The program in the place of an account means that there is none.
    const noOtherDestination = readonly(AGGREGATOR_PROGRAM);
    return [signer, ...[order.source, order.destination].map(writable), ...tokens, noOtherDestination, ...runtime];
  }
  const accounts = [order.source, shared.source, shared.destination, order.destination].map(writable);
  return [readonly(PROGRAM_AUTHORITY), signer, ...accounts, ...tokens, ...runtime];
}

function routeData(order: RouteOrder): Buffer {
  const data = new ByteWriter().push(order.shared ? SHARED_ACCOUNTS_ROUTE_V2 : ROUTE_V2);
  if (order.shared) data.u8(0);
  data.u64(order.inAmount).u64(order.quotedOutAmount).u16(order.slippageBps).u16(order.platformFeeBps).u16(0);
  data.u32(order.steps.length);
  for (const { swapTag, bps, inputIndex, outputIndex } of order.steps) {
    data.u8(swapTag).u16(bps).u8(inputIndex).u8(outputIndex);
  }
  return data.done();
}

function readonly(account: Key): AccountMeta {
  return { pubkey: publicKey(account), isSigner: false, isWritable: false };
}

function writable(account: Key): AccountMeta {
  return { ...readonly(account), isWritable: true };
}
