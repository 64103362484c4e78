import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { openSolanaChain, type SolanaChain } from '@agent-wallet/solana';
import { newAddress } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { DryRunTransfer } from '../src/application/transfers/transfer.js';
import type { TransferHandler } from '../src/application/transfers/transfer-handler.js';
import { Sandbox } from './deposits/sandbox.js';
import { FakeWallets, REGISTRY, transferHandler, transferRequest } from './fakes.js';

const RATE = 3_480;
const EMPTY_ACCOUNT = '0.00089088';
const HALF = '0.00044544';
/** The time for which a service keeps a rent that it has read. */
const KEPT_MS = 60_000;

const agentId = newId();
const key = Keypair.generate();
const wallet = key.publicKey.toBase58();
const allowed: policyV1.DryRunAuthorizeResponse = { allowed: true, rule: '', usage: undefined };

let sandbox: Sandbox;
let chain: SolanaChain;
let handler: TransferHandler;
let dryRuns: DryRunTransfer;
let aheadMs = 0;

beforeAll(async () => {
  sandbox = await Sandbox.start();
  await sandbox.faucet(wallet, 'SOL', 1);
  chain = openSolanaChain({
    rpcUrl: sandbox.rpcUrl,
    timeoutMs: 60_000,
    clock: { nowMs: () => Date.now() + aheadMs },
  });
  handler = await transferHandler(chain, { agentId, wallet });
  const wallets = new FakeWallets();
  await wallets.add(agentId, wallet);
  const policy = {
    dryRunAuthorize: async () => allowed,
    checkSpending: async () => ({}),
    getUsage: async () => policyV1.GetUsageResponse.decode(Buffer.alloc(0)),
  };
  dryRuns = new DryRunTransfer(wallets, handler, { registry: REGISTRY, policy, chain });
});
afterAll(async () => {
  chain.close();
  await sandbox.stop();
});

const toNewWallet = (amount: string) => transferRequest({ to: newAddress(), mint: 'SOL', amount, memo: '' });
const setRent = (lamportsPerByteYear: number) => sandbox.admin('POST', '/rent', { lamportsPerByteYear });

async function dryRun(amount: string): Promise<string> {
  return dryRuns.execute(agentId, toNewWallet(amount)).then(
    () => 'passes',
    ({ code }: { readonly code: string }) => code,
  );
}

/** Prepares a transfer as a real run does, signs it and sends it, and returns the refusal or the chain's answer. */
async function realRun(amount: string): Promise<string> {
  const prepared = await handler.prepare({ id: newId(), agentId, request: toNewWallet(amount) });
  if (prepared.kind !== 'ready') return prepared.error.code;
  const transaction = new VersionedTransaction(VersionedMessage.deserialize(prepared.message));
  transaction.sign([key]);
  const signature = await sandbox.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  return (await sandbox.landing(signature)) === null ? 'passes' : 'TRANSACTION_FAILED';
}

describe('a transfer to a new wallet', () => {
  it('follows the rent of the chain within a minute, and its dry run at once', async () => {
    expect([await dryRun(EMPTY_ACCOUNT), await realRun(EMPTY_ACCOUNT)]).toEqual(['passes', 'passes']);

    await setRent(RATE / 2);
    expect([await dryRun(HALF), await realRun(HALF)]).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
    aheadMs += KEPT_MS + 1;
    expect([await dryRun(HALF), await realRun(HALF)]).toEqual(['passes', 'passes']);

    await setRent(RATE);
    expect(await dryRun(HALF)).toBe('TRANSACTION_FAILED');
    aheadMs += KEPT_MS + 1;
    expect([await dryRun(HALF), await realRun(HALF)]).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
    expect(await realRun(EMPTY_ACCOUNT)).toBe('passes');
  });
});
