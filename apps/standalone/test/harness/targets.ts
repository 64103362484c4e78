import type { intentV1, walletV1 } from '@agent-wallet/contracts';
import { honestMessage } from '@agent-wallet/jupiter/corpus';
import { newId } from '@agent-wallet/kernel';
import { addressBytes, buildMessage, messageHash, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { AgentClient } from '../../src/index.js';
import type { Deployment } from './deployment.js';
import { MINTS } from './trading.js';

/** An agent with money, and what every reader of its token or of the ledger knows of it. */
export interface Victim {
  readonly agent: AgentClient;
  readonly agentId: string;
}

/** Its id is taken from its token. */
export async function victimOf(deployment: Deployment, funds = { SOL: 1, USDC: 1_000 }): Promise<Victim> {
  const agent = await deployment.agent(funds);
  const claims = JSON.parse(Buffer.from(agent.token.split('.')[1]!, 'base64url').toString()) as { sub: string };
  return { agent, agentId: claims.sub };
}

const USDC = { mint: MINTS.USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6 } as const;

/** USDC to any recipient. */
export function transferIntent(wallet: string, recipient: string, amount: bigint): intentV1.Intent {
  const value = { ...USDC, recipient, amount, createsRecipientAccount: true, memo: '' };
  return { wallet, action: { $case: 'transfer', value } };
}

/** An order that costs so much. */
function orderFor(amount: bigint): intentV1.EscrowOrder {
  const order = { ticker: 'KXHIGHNY-26NOV27-B42', side: 'yes', count: 100n, maxPriceUsdMicros: 650_000n };
  return { ...order, maxCostUsdMicros: amount };
}

/** USDC between a wallet and the treasury. */
export function moveIntent(
  $case: 'escrow' | 'payout',
  wallet: string,
  treasury: string,
  amount: bigint,
): intentV1.Intent {
  if ($case === 'escrow') {
    return { wallet, action: { $case, value: { ...USDC, treasury, amount, order: orderFor(amount) } } };
  }
  return { wallet, action: { $case, value: { ...USDC, treasury, amount, createsRecipientAccount: false } } };
}

/** USDC for SOL, over no lookup tables unless a hash of what they hold is given. */
export function swapIntent(
  wallet: string,
  inputAmount: bigint,
  resolvedAddressesHash = Buffer.from(messageHash(new Uint8Array())),
): intentV1.Intent {
  // Far more than the market gives: the trade is fair by any price.
  const plenty = inputAmount * 100n;
  const value: intentV1.Swap = {
    ...{ inputMint: MINTS.USDC, inputTokenProgram: TOKEN_PROGRAM, inputDecimals: 6, inputAmount },
    ...{
      outputMint: MINTS.SOL,
      outputTokenProgram: TOKEN_PROGRAM,
      quotedOutputAmount: plenty,
      minOutputAmount: plenty,
    },
    ...{ slippageBps: 0, platformFeeBps: 0, maxNetworkLamports: 20_000n },
    resolvedAddressesHash,
    allowUnpricedOutput: false,
  };
  return { wallet, action: { $case: 'swap', value } };
}

/** The message of an intent that could land now. */
export async function messageOf({ rpcUrl }: Deployment, intent: intentV1.Intent): Promise<Buffer> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash', params: [] }),
  });
  const { result } = (await response.json()) as { result: { value: { blockhash: string } } };
  const { blockhash } = result.value;
  const isSwap = intent.action?.$case === 'swap';
  return Buffer.from(isSwap ? honestMessage(intent, addressBytes(blockhash)) : buildMessage({ intent, blockhash }));
}

/** What policy is asked to permit. It is shown the message of a swap. */
export function attempt(agentId: string, intent: intentV1.Intent, message: Uint8Array, operationId = newId()) {
  const shown = intent.action?.$case === 'swap' ? { message: Buffer.from(message) } : {};
  const hash = Buffer.from(messageHash(message));
  return { operationId, step: 1, attempt: 1, agentId, intent, messageHash: hash, ...shown };
}

/** A move of so much; an escrow for an order. */
export function moveOf($case: 'escrow' | 'payout', amount: bigint): NonNullable<walletV1.MoveRequest['move']> {
  return $case === 'escrow' ? { $case, value: { amount, order: orderFor(amount) } } : { $case, value: { amount } };
}

/** What wallet is asked to move between an agent and the treasury. */
export function moveRequest(
  agentId: string,
  $case: 'escrow' | 'payout',
  amount: bigint,
  step: Partial<Pick<walletV1.MoveRequest, 'operationId' | 'step' | 'attempt'>> = {},
): walletV1.MoveRequest {
  const name = { operationId: newId(), step: 1, attempt: 1, waitMs: 30_000, cancelIfNotStarted: false, ...step };
  return { ...name, agentId, move: moveOf($case, amount) };
}

/** The code of the error that a call ends with; `OK` when it ends with none. */
export function codeOf(answer: Promise<unknown>): Promise<string | undefined> {
  return answer.then(
    () => 'OK',
    ({ code }: { code?: string }) => code,
  );
}

/** An address as the bytes that a checkpoint could be made of. */
export const bytesOf = (address: string): Buffer => Buffer.from(addressBytes(address));
