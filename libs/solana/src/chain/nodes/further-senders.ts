import { JsonRpcError } from '../json-rpc.js';
import type { SendOutcome, SolanaChain } from '../solana-chain.js';

/** An endpoint that gets what is signed, and of which nothing is read. */
export interface Sender {
  /** Host without port: its URL may hold a key. */
  readonly host: string;
  readonly chain: Pick<SolanaChain, 'send' | 'close'>;
}

/** Log of sends that failed. A service's logger fits. */
export interface SendLog {
  warn(
    fields: { readonly event: 'transaction.extra_send_failed'; readonly [field: string]: unknown },
    msg: string,
  ): void;
}

/** Has further endpoints get each transaction once, when the nodes get it. Only the nodes decide the outcome. */
export function withSenders(chain: SolanaChain, senders: readonly Sender[], log?: SendLog): SolanaChain {
  const [send, close] = [chain.send.bind(chain), chain.close.bind(chain)];
  return Object.assign(chain, {
    send: (transaction: Uint8Array) => {
      for (const sender of senders) void sendTo(sender, transaction, log);
      return send(transaction);
    },
    close: () => {
      close();
      for (const sender of senders) sender.chain.close();
    },
  });
}

async function sendTo({ host, chain }: Sender, transaction: Uint8Array, log: SendLog | undefined): Promise<void> {
  const sent = await chain.send(transaction).catch((cause: unknown): SendOutcome => ({ kind: 'unknown', cause }));
  if (sent.kind !== 'rejected' && sent.kind !== 'unknown') return;
  const fields = {
    event: 'transaction.extra_send_failed',
    host,
    outcome: sent.kind,
    reason: reasonOf(sent.cause),
  } as const;
  log?.warn(fields, 'Extra endpoint may not have accepted the transaction');
}

/** Returns a reason without what the endpoint wrote: it may repeat the key. */
function reasonOf(cause: unknown): string {
  if (cause instanceof JsonRpcError) return `JSON-RPC error ${cause.code}`;
  return cause instanceof Error ? cause.message : 'unknown';
}
