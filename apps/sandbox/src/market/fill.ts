import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { ByteWriter } from '../encoding/bytes.js';

/** The order engine: market makers' orders, signed by both sides. */
export const ORDER_ENGINE = '61DFfeTKM7trxYcPQCM78bJ794ddZprZpAwAnLiwTpYH';

const FILL = Buffer.from('a860b7a35c0a28a0', 'hex');

/** One side of an order; base58. Without a token account the side moves native SOL (its mint is wrapped SOL's). */
export interface FillSide {
  readonly mint: string;
  readonly tokenProgram: string;
  readonly takerAccount: string | undefined;
  readonly makerAccount: string | undefined;
  /** Base units, exact. */
  readonly amount: bigint;
}

/** An order between two wallets, good until a second of the chain's clock. */
export interface FillOrder {
  readonly taker: string;
  readonly maker: string;
  /** What the taker pays. */
  readonly input: FillSide;
  /** What the taker receives. */
  readonly output: FillSide;
  readonly expireAtSeconds: number;
}

/** The order engine's `fill`: both sides move exactly these amounts, or nothing happens. */
export function fillInstruction({ taker, maker, input, output, expireAtSeconds }: FillOrder): TransactionInstruction {
  const signer = (key: string) => ({ pubkey: new PublicKey(key), isSigner: true, isWritable: true });
  const readonly = (key: string) => ({ pubkey: new PublicKey(key), isSigner: false, isWritable: false });
  const account = (key: string | undefined) =>
    key === undefined ? readonly(ORDER_ENGINE) : { ...readonly(key), isWritable: true };
  const keys = [
    signer(taker),
    signer(maker),
    account(input.takerAccount),
    account(input.makerAccount),
    account(output.takerAccount),
    account(output.makerAccount),
    ...[input.mint, input.tokenProgram, output.mint, output.tokenProgram].map(readonly),
    readonly(SystemProgram.programId.toBase58()),
  ];
  const data = new ByteWriter().push(FILL).u64(input.amount).u64(output.amount).u64(BigInt(expireAtSeconds));
  // Three ignored bytes: the fee in hundredths of a percent, and flags (exact in).
  return new TransactionInstruction({
    programId: new PublicKey(ORDER_ENGINE),
    keys,
    data: data.u16(0).u8(0).done(),
  });
}
