import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import type { OperationDescription, OperationInput, OperationKind, Preparation } from '@agent-wallet/operations';
import { buildMessage, networkFeeLamports, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { checkFunds } from '../domain/funds.js';
import { knownToken, NATIVE, symbolOf } from '../domain/token-registry.js';
import { assertSafeToken } from '../domain/token-safety.js';
import type { TransferPlan } from '../domain/transfer-plan.js';
import { parseTransferAmount, type TransferRequest, unknownToken } from '../domain/transfer-request.js';
import type { TransferChain } from '../ports/transfer-chain.js';
import type { Wallets } from '../ports/wallets.js';
import { readParties, type Parties } from './transfer-parties.js';
import { walletAddressOf } from './wallet-address-of.js';

/** A blockhash this old costs a message 2 s of its minute, and spares a call. */
const BLOCKHASH_MAX_AGE_MS = 2_000;

/** Errors that say that the request made no sense: history is not bothered with them. */
const INVALID: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'INVALID_ADDRESS', 'UNKNOWN_TOKEN']);

/** Money from an agent's wallet to another wallet. */
export class TransferKind implements OperationKind<TransferRequest, TransferPlan> {
  readonly action = 'transfer';

  constructor(
    private readonly wallets: Wallets,
    private readonly chain: TransferChain,
  ) {}

  async prepare({ id, agentId, request }: OperationInput<TransferRequest>): Promise<Preparation<TransferPlan>> {
    let plan: TransferPlan | undefined;
    try {
      const [wallet, resolved] = await Promise.all([walletAddressOf(this.wallets, agentId), this.#resolve(request)]);
      plan = resolved.plan;
      assertSafeToken(resolved.extensions);
      const [parties, recent] = await Promise.all([
        readParties(this.chain, { wallet, recipient: request.to, plan }),
        this.chain.latestBlockhash({ maxAgeMs: BLOCKHASH_MAX_AGE_MS }),
      ]);
      plan = { ...plan, createsRecipientAccount: parties.createsRecipientAccount };
      const intent = intentOf(wallet, request, plan);
      const message = buildMessage({ intent, blockhash: recent.blockhash, salt: saltOf(id) });
      this.#checkFunds(plan, parties, networkFeeLamports(message));
      return { kind: 'ready', plan, intent, message, lastValidBlockHeight: recent.lastValidBlockHeight };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (INVALID.has(error.code)) return { kind: 'invalid', error };
      if (error.code === 'INSUFFICIENT_FUNDS' || error.code === 'UNSAFE_TOKEN')
        return { kind: 'impossible', plan, error };
      throw error;
    }
  }

  describe(request: TransferRequest, plan: TransferPlan | undefined): OperationDescription {
    const told = plan ?? planOfKnownToken(request);
    return {
      asset: told?.symbol ?? request.token,
      ...(told ? { amount: BigInt(told.amount) } : {}),
      decimals: told?.decimals ?? 0,
      to: request.to,
      metadata: {
        mint: (told ? told.mint : request.token) || null,
        ...(told ? { amountRaw: told.amount } : {}),
        ...(request.memo ? { memo: request.memo } : {}),
      },
    };
  }

  /** Two transfers of the same money cannot both land; the chain drops one whose fee nobody can pay without a word. */
  async whyDead({ agentId, request }: OperationInput<TransferRequest>, plan: TransferPlan) {
    const wallet = await walletAddressOf(this.wallets, agentId);
    const parties = await readParties(this.chain, { wallet, recipient: request.to, plan });
    const message = buildMessage({ intent: intentOf(wallet, request, plan), blockhash: wallet });
    try {
      this.#checkFunds(plan, parties, networkFeeLamports(message));
    } catch (error) {
      if (error instanceof AppError && error.code === 'INSUFFICIENT_FUNDS') return error;
      throw error;
    }
    return undefined;
  }

  async #resolve({ token, amount }: TransferRequest): Promise<{ plan: TransferPlan; extensions: readonly string[] }> {
    const known = knownToken(token);
    const mint = known ? undefined : await this.chain.mint(token);
    if (!known && !mint) throw unknownToken();
    const decimals = known?.decimals ?? mint!.decimals;
    const plan = {
      mint: known?.mint ?? token,
      symbol: known?.symbol ?? symbolOf(token),
      decimals,
      tokenProgram: known ? programOf(known.mint) : mint!.tokenProgram,
      amount: parseTransferAmount(amount, decimals).toString(),
      createsRecipientAccount: false,
    };
    return { plan, extensions: mint?.extensions ?? [] };
  }

  #checkFunds(plan: TransferPlan, parties: Parties, feeLamports: bigint): void {
    const { symbol, decimals } = plan;
    checkFunds({
      ...parties,
      token: plan.mint === NATIVE.mint ? undefined : { symbol, decimals, available: parties.tokenUnits },
      amount: BigInt(plan.amount),
      networkFeeLamports: feeLamports,
    });
  }
}

/** What can be told of a request before the chain was asked. */
export function planOfKnownToken({ token, amount }: TransferRequest): TransferPlan | undefined {
  const known = knownToken(token);
  if (!known) return undefined;
  const units = parseTransferAmount(amount, known.decimals).toString();
  return { ...known, tokenProgram: programOf(known.mint), amount: units, createsRecipientAccount: false };
}

function programOf(knownMint: string): string {
  return knownMint === NATIVE.mint ? '' : TOKEN_PROGRAM;
}

/**
 * The same transfer asked for twice within one blockhash would be the same bytes, so the same signature, and move money
 * once. The random end of the operation's id tells them apart; should two agree by chance, the later message cannot
 * be stored and is built anew until a new blockhash makes it another one.
 */
function saltOf(operationId: string): number {
  return Number.parseInt(operationId.slice(-4), 16);
}

function intentOf(wallet: string, { to, memo }: TransferRequest, plan: TransferPlan): intentV1.Intent {
  const { mint, tokenProgram, decimals, createsRecipientAccount } = plan;
  const amount = BigInt(plan.amount);
  const value = { recipient: to, mint, tokenProgram, amount, decimals, createsRecipientAccount, memo };
  return { wallet, action: { $case: 'transfer', value } };
}
