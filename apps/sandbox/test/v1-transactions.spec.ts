import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  appendTransactionMessageInstructions,
  blockhash as toBlockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { World } from './world.js';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const SIGNATURE_BYTES = 64;

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** An instruction of web3.js as kit takes it. */
function instructionOf({ programId, keys, data }: TransactionInstruction): Instruction {
  const accounts = keys.map(({ pubkey, isSigner, isWritable }) => ({
    address: pubkey.toBase58(),
    role: (isSigner ? 2 : 0) + (isWritable ? 1 : 0),
  }));
  return { programAddress: programId.toBase58(), accounts, data } as unknown as Instruction;
}

type Budget = Parameters<typeof setTransactionMessageConfig>[0];

/** Signs a version 1 transaction with the official client; answers its base64. */
async function signV1(payer: Keypair, instructions: TransactionInstruction[], config: Budget = {}): Promise<string> {
  const signer = await createKeyPairSignerFromBytes(payer.secretKey);
  const { blockhash, lastValidBlockHeight } = await world.connection.getLatestBlockhash();
  const lifetime = { blockhash: toBlockhash(blockhash), lastValidBlockHeight: BigInt(lastValidBlockHeight) };
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (each) => setTransactionMessageFeePayerSigner(signer, each),
    (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
    (each) => setTransactionMessageConfig(config, each),
    (each) => appendTransactionMessageInstructions(instructions.map(instructionOf), each),
  );
  return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
}

const pay = (from: Keypair, to: PublicKey, lamports: number): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });

const send = (wire: string) => world.rpc('sendTransaction', [wire, { encoding: 'base64' }]);
const read = (signature: unknown, config: Record<string, unknown>) =>
  world.rpc('getTransaction', [signature, { commitment: 'confirmed', ...config }]);

describe('a version 1 transaction', () => {
  it('moves its money once', async () => {
    const payer = await world.funded(['SOL', 1]);
    const to = Keypair.generate().publicKey;
    const wire = await signV1(payer, [pay(payer, to, 1_000_000)]);
    const { result: signature } = await send(wire);
    expect(await world.raw(to, 'SOL')).toBe(1_000_000n);
    expect(await world.raw(payer.publicKey, 'SOL')).toBe(998_995_000n);
    expect((await send(wire)).error!.message).toMatch(/already been processed/);
    const { result } = await read(signature, { maxSupportedTransactionVersion: 1, encoding: 'base64' });
    expect(result).toMatchObject({ version: 1, transaction: [wire, 'base64'], meta: { err: null, fee: 5_000 } });
  });

  it('is shown as JSON with its accounts and instructions', async () => {
    const payer = await world.funded(['SOL', 1]);
    const to = Keypair.generate().publicKey;
    const { result: signature } = await send(await signV1(payer, [pay(payer, to, 1_000_000)]));
    const { result } = await read(signature, { maxSupportedTransactionVersion: 1, encoding: 'jsonParsed' });
    const info = { source: payer.publicKey.toBase58(), destination: to.toBase58(), lamports: 1_000_000 };
    expect(result).toMatchObject({
      transaction: { message: { instructions: [{ program: 'system', parsed: { type: 'transfer', info } }] } },
    });
  });

  it.each([undefined, 0])(
    'is refused to a client whose newest version is %s',
    async (maxSupportedTransactionVersion) => {
      const payer = await world.funded(['SOL', 1]);
      const { result: signature } = await send(await signV1(payer, [pay(payer, payer.publicKey, 1)]));
      const { error } = await read(signature, { maxSupportedTransactionVersion });
      expect(error).toMatchObject({ code: -32_015, message: expect.stringContaining('Transaction version (1)') });
    },
  );

  it('pays the priority fee of its header, and runs within the header’s limit', async () => {
    const payer = await world.funded(['SOL', 1]);
    const to = Keypair.generate().publicKey;
    const config = { computeUnitLimit: 30_000, priorityFeeLamports: 777n };
    const { result: signature } = await send(await signV1(payer, [pay(payer, to, 1_000_000)], config));
    const { result } = await read(signature, { maxSupportedTransactionVersion: 1 });
    expect(result).toMatchObject({ meta: { fee: 5_777, innerInstructions: [] } });
    expect(await world.raw(payer.publicKey, 'SOL')).toBe(998_994_223n);
    const { error } = await send(await signV1(payer, [pay(payer, to, 1)], { computeUnitLimit: 100 }));
    expect(error!.message).toMatch(/simulation failed/);
  });

  it.each([
    ['lands', 777n, 5_777],
    ['waits', 776n, undefined],
  ])('in a fee market of 777 lamports for its units, %s with a priority fee of %d', async (_, fee, charged) => {
    const payer = await world.funded(['SOL', 1]);
    const config = { computeUnitLimit: 30_000, priorityFeeLamports: fee };
    await world.admin('POST', '/fee-market', { priceMicroLamports: 25_900 });
    const { result: signature } = await send(await signV1(payer, [pay(payer, payer.publicKey, 1)], config));
    const { result } = await read(signature, { maxSupportedTransactionVersion: 1 });
    await world.admin('POST', '/fee-market', {});
    expect((result as { meta: { fee: number } } | null | undefined)?.meta.fee).toBe(charged);
  });

  it('may be longer than older versions may', async () => {
    const payer = await world.funded(['SOL', 1]);
    const memo = (text: string) => instructionOfMemo(Buffer.from(text));
    const { error, result } = await send(
      await signV1(payer, [memo('a'.repeat(2_000))], { computeUnitLimit: 1_400_000 }),
    );
    expect(error).toBeUndefined();
    expect(result).toEqual(expect.any(String));
  });

  it('moves nothing with a signature of another message, whether or not it is checked before', async () => {
    const payer = await world.funded(['SOL', 1]);
    const to = Keypair.generate().publicKey;
    const wire = Buffer.from(await signV1(payer, [pay(payer, to, 1_000_000)]), 'base64');
    wire[wire.length - SIGNATURE_BYTES - 12]! ^= 1;
    const forged = wire.toString('base64');
    expect((await send(forged)).error!.message).toMatch(/signature verification/);
    await world.rpc('sendTransaction', [forged, { encoding: 'base64', skipPreflight: true }]);
    expect(await world.raw(to, 'SOL')).toBe(0n);
    expect(await world.raw(payer.publicKey, 'SOL')).toBe(1_000_000_000n);
  });

  it.each([
    ['bytes behind its signatures', (wire: Buffer) => Buffer.concat([wire, Buffer.of(0)])],
    ['a missing byte', (wire: Buffer) => wire.subarray(0, -1)],
    ['half a priority fee', (wire: Buffer) => wire.fill(1, 4, 5)],
    ['an unknown bit in its config mask', (wire: Buffer) => wire.fill(32, 4, 5)],
  ])('is refused with %s', async (_, damage) => {
    const payer = await world.funded(['SOL', 1]);
    const wire = Buffer.from(await signV1(payer, [pay(payer, payer.publicKey, 1)]), 'base64');
    expect((await send(damage(wire).toString('base64'))).error!.message).toMatch(/failed to deserialize/);
  });
});

function instructionOfMemo(data: Buffer): TransactionInstruction {
  return { programId: { toBase58: () => MEMO }, keys: [], data } as unknown as TransactionInstruction;
}
