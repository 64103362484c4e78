import {
  errorResponse,
  type ExecuteResponse,
  executeResponse,
  type OrderResponse,
  orderResponse,
} from '@agent-wallet/jupiter';
import { type Keypair, type PublicKey, VersionedTransaction } from '@solana/web3.js';

export const SOL = 'So11111111111111111111111111111111111111112';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
export const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
export const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';

/** Over the pools only. */
export const POOLS = { excludeRouters: 'jupiterz' };
/** With the market maker only. */
export const MAKER = { excludeRouters: 'metis' };

/** An order that can be signed. */
export type SignableOrder = OrderResponse & { readonly transaction: string };

/** The aggregator as an integrator talks to it: every answer is read by the schemas of the product's own client. */
export class Integrator {
  constructor(
    private readonly world: { readonly sandbox: { readonly aggregatorUrl: string } },
    private readonly base: '/swap/v2' | '/ultra/v1' = '/swap/v2',
  ) {}

  /** The raw answer to an order. */
  ask(query: Record<string, string | number>): Promise<Response> {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return fetch(`${this.world.sandbox.aggregatorUrl}${this.base}/order?${text}`);
  }

  async quote(query: Record<string, string | number>): Promise<OrderResponse> {
    const response = await this.ask(query);
    const body: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return orderResponse.parse(body);
  }

  async order(taker: PublicKey, query: Record<string, string | number>): Promise<SignableOrder> {
    const order = await this.quote({ taker: taker.toBase58(), ...query });
    if (!order.transaction) throw new Error(`no transaction: ${order.errorCode} ${order.errorMessage}`);
    return order as SignableOrder;
  }

  /** The raw answer to an execution. */
  send(body: Record<string, unknown>): Promise<Response> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return fetch(`${this.world.sandbox.aggregatorUrl}${this.base}/execute`, init);
  }

  async execute(body: Record<string, unknown>): Promise<ExecuteResponse> {
    const response = await this.send(body);
    const answer: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(errorResponse.parse(answer))}`);
    return executeResponse.parse(answer);
  }

  /** Orders, signs unread and executes, as a trusting integrator does. */
  async trade(
    wallet: Keypair,
    query: Record<string, string | number>,
  ): Promise<ExecuteResponse & { order: SignableOrder }> {
    const order = await this.order(wallet.publicKey, query);
    return { ...(await this.execute(signedBody(order, wallet))), order };
  }
}

/** The body of execute, with the wallet's signature on the order's exact bytes. */
export function signedBody({ transaction, requestId }: SignableOrder, wallet: Keypair): Record<string, string> {
  return { requestId, signedTransaction: signedBy(decode(transaction), wallet) };
}

export function decode(transaction: string): VersionedTransaction {
  return VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
}

/** Adds one signature, while others may be missing; base64. */
export function signedBy(transaction: VersionedTransaction, wallet: Keypair): string {
  transaction.sign([wallet]);
  return Buffer.from(transaction.serialize()).toString('base64');
}
