import { generateKeyPairSync, sign } from 'node:crypto';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses/programs.js';
import { addressOf } from '../addresses/address.js';
import { buildMessage } from '../messages/build-message.js';
import { assembleTransaction, transactionSignature } from '../messages/transaction.js';
import { BLOCKHASH, keyOf, MINT } from './actors.js';
import { scenarios } from './scenarios.js';
import type { NodeCall, Reply } from './scripted-node.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** The wallet whose transaction the scripted node knows. */
export const WALLET = addressOf(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));

/** The message that it signed. */
export const MESSAGE = buildMessage({ intent: scenarios(WALLET)[2]!.intent, blockhash: BLOCKHASH });

/** A signed token transfer. */
export const TRANSACTION = assembleTransaction(MESSAGE, [sign(null, MESSAGE, privateKey)]);
export const SIGNATURE = transactionSignature(TRANSACTION);
const ACCOUNTS_OF_MESSAGE = MESSAGE[4]!;

const context = { apiVersion: '3.0.0', slot: 5_000 };

/** Returns a token account in the form of `jsonParsed`. */
export function parsedTokenAccount(mint: string, amount: string, tokenProgram: string) {
  return {
    pubkey: keyOf(`account of ${mint}`).toBase58(),
    account: {
      lamports: 2_039_280,
      owner: tokenProgram,
      data: {
        program: 'spl-token',
        parsed: {
          type: 'account',
          info: {
            isNative: false,
            mint,
            owner: WALLET,
            state: 'initialized',
            tokenAmount: { amount, decimals: 6, uiAmount: 1, uiAmountString: '1' },
          },
        },
        space: 165,
      },
      executable: false,
      rentEpoch: 0,
      space: 165,
    },
  };
}

/** Bytes of a mint: 6 decimals, a supply of 1000 base units, a mint authority and no freeze authority. */
export function mintBytes(): Buffer {
  const bytes = Buffer.alloc(82);
  bytes.writeUInt32LE(1, 0);
  keyOf('mint authority').toBuffer().copy(bytes, 4);
  bytes.writeBigUInt64LE(1_000n, 36);
  bytes.writeUInt8(6, 44);
  bytes.writeUInt8(1, 45);
  return bytes;
}

/** Returns an account in the form of `base64`. */
export function account(owner: string, data: Uint8Array) {
  return {
    lamports: 1_461_600,
    owner,
    data: [Buffer.from(data).toString('base64'), 'base64'],
    executable: false,
    rentEpoch: 0,
  };
}

/** Bytes of the clock sysvar: slot 5 000 of epoch 11, at 1 700 000 000. */
export function clockBytes(): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.writeBigUInt64LE(5_000n, 0);
  bytes.writeBigInt64LE(1_699_990_000n, 8);
  bytes.writeBigUInt64LE(11n, 16);
  bytes.writeBigUInt64LE(12n, 24);
  bytes.writeBigInt64LE(1_700_000_000n, 32);
  return bytes;
}

const tokenBalance = (amount: string) => ({
  accountIndex: 1,
  mint: MINT.toBase58(),
  owner: WALLET,
  programId: TOKEN_PROGRAM,
  uiTokenAmount: { amount, decimals: 6, uiAmount: null, uiAmountString: '0' },
});

/** One good result of every method, as a node gives it. */
export const RESULTS: Readonly<Record<string, unknown>> = {
  getLatestBlockhash: { context, value: { blockhash: BLOCKHASH, lastValidBlockHeight: 4_150 } },
  getEpochInfo: {
    absoluteSlot: 5_000,
    blockHeight: 4_000,
    epoch: 11,
    slotIndex: 8,
    slotsInEpoch: 432_000,
    transactionCount: 1,
  },
  getBlockTime: 1_700_000_000,
  getMultipleAccounts: { context, value: [account(TOKEN_PROGRAM, mintBytes())] },
  getTokenAccountsByOwner: {
    context,
    value: [parsedTokenAccount(MINT.toBase58(), '18446744073709551615', TOKEN_PROGRAM)],
  },
  getSignatureStatuses: {
    context,
    value: [{ slot: 4_990, confirmations: 10, err: null, status: { Ok: null }, confirmationStatus: 'confirmed' }],
  },
  getTransaction: {
    slot: 4_990,
    blockTime: 1_700_000_000,
    transaction: [Buffer.from(TRANSACTION).toString('base64'), 'base64'],
    version: 0,
    meta: {
      err: null,
      fee: 5_000,
      preBalances: new Array<number>(ACCOUNTS_OF_MESSAGE).fill(10_000_000),
      postBalances: new Array<number>(ACCOUNTS_OF_MESSAGE).fill(9_995_000),
      preTokenBalances: [tokenBalance('64100000')],
      postTokenBalances: [tokenBalance('0')],
      loadedAddresses: { writable: [], readonly: [] },
      logMessages: [],
    },
  },
  getSignaturesForAddress: [
    {
      signature: SIGNATURE,
      slot: 4_990,
      err: null,
      memo: null,
      blockTime: 1_700_000_000,
      confirmationStatus: 'finalized',
    },
  ],
  sendTransaction: SIGNATURE,
  simulateTransaction: {
    context,
    value: {
      err: null,
      logs: ['Program log: done'],
      accounts: [account(TOKEN_PROGRAM, mintBytes()), null],
      unitsConsumed: 4_500,
      returnData: null,
      innerInstructions: null,
      replacementBlockhash: null,
    },
  },
  getMinimumBalanceForRentExemption: 2_039_280,
};

/** Returns the result of `getTokenAccountsByOwner` for the program that a call names. */
function tokenAccountsOf(params: readonly unknown[]): unknown {
  const { programId } = params[1] as { programId: string };
  return programId === TOKEN_2022_PROGRAM ? { context, value: [] } : RESULTS.getTokenAccountsByOwner;
}

/** The address of the clock sysvar, and what owns it. */
export const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
export const SYSVARS = 'Sysvar1111111111111111111111111111111111111';

/** Returns the reply of a healthy node. */
export function goodReply({ method, params }: NodeCall): Reply {
  if (method === 'getTokenAccountsByOwner') return { result: tokenAccountsOf(params) };
  const lists: Record<string, number> = { getMultipleAccounts: 0, getSignatureStatuses: 0 };
  if (!(method in lists)) return { result: RESULTS[method] };
  const { context, value } = RESULTS[method] as { context: unknown; value: unknown[] };
  const found = (key: unknown) => (key === CLOCK ? account(SYSVARS, clockBytes()) : value[0]);
  return { result: { context, value: (params[0] as unknown[]).map(found) } };
}
