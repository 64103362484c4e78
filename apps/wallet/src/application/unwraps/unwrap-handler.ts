import { type intentV1, policyV1, type walletV1 } from '@agent-wallet/contracts';
import { type AppError, SOL_DECIMALS, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import {
  BLOCKHASH_MAX_AGE_MS,
  type OperationDescription,
  type OperationHandler,
  type OperationInput,
  optional,
  planCodec,
  type Preparation,
  record,
  refusedPreparation,
  requestCodec,
  saltOf,
  signedAmount,
  text,
} from '@agent-wallet/operations';
import {
  associatedTokenAddress,
  buildMessage,
  MOST_UNITS,
  type PriorityFees,
  readTokenAccount,
  TOKEN_PROGRAM,
  tokenAccountBytes,
} from '@agent-wallet/solana';
import type { Operator } from '../../domain/operator.js';
import { NATIVE } from '../../domain/token-registry.js';
import {
  checkWalletAfter,
  planUnwrap,
  type UnwrapPlan,
  type UnwrapRequest,
  type WrappedSol,
} from '../../domain/unwrap.js';
import { checkCosts, type PaymentOfCosts, refusalOf } from '../../domain/wallet-funds.js';
import type { UnwrapChain } from '../../ports/transfer-chain.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { feeOfMessage, networkFeeOf, offering, payerOf, units, walletAddressOf } from '../operations/preparation.js';

/** Dependencies of unwraps. */
interface UnwrapDependencies {
  readonly wallets: WalletStore;
  readonly chain: UnwrapChain;
  readonly operator: Pick<Operator, 'sponsor'>;
  readonly priority: PriorityFees;
}

/** Holdings of the parties. */
interface Holdings {
  readonly wrapped: WrappedSol;
  readonly lamports: bigint;
  readonly minimumLamports: bigint;
  readonly sponsorLamports: bigint | undefined;
}

/** Holdings, and what is offered for the message's place. */
type PricedHoldings = Holdings & { readonly priorityLamports: bigint };

/** Wrapped SOL of an agent's wallet becomes SOL of the same wallet. */
export class UnwrapHandler implements OperationHandler<UnwrapRequest, UnwrapPlan> {
  readonly action = 'unwrap_sol';
  readonly codec = {
    request: requestCodec(record<UnwrapRequest>({ amount: optional(units) })),
    plan: planCodec(
      record<UnwrapPlan>({
        amount: units,
        remainder: units,
        gained: signedAmount,
        priorityLamports: optional(units),
        sponsor: optional(text),
      }),
    ),
  };

  constructor(private readonly dependencies: UnwrapDependencies) {}

  spending(): policyV1.Spending {
    return policyV1.Spending.SPENDING_SELF;
  }

  async prepare({ id, agentId, request }: OperationInput<UnwrapRequest>): Promise<Preparation<UnwrapPlan>> {
    const { wallets, chain, operator, priority } = this.dependencies;
    let plan: UnwrapPlan | undefined;
    try {
      const wallet = await walletAddressOf(wallets, agentId);
      const sponsor = operator.sponsor === wallet ? undefined : operator.sponsor;
      const [balances, priorityLamports, recent] = await Promise.all([
        this.#holdings(wallet, sponsor),
        priority.lamportsFor({ accounts: sponsor ? [sponsor] : [], units: MOST_UNITS.unwrap + saltOf(id) }),
        chain.latestBlockhash({ maxAgeMs: BLOCKHASH_MAX_AGE_MS }),
      ]);
      const held = { ...balances, priorityLamports };
      plan = { ...planUnwrap(request, held.wrapped), ...offering(priorityLamports) };
      plan = isSponsorNeeded(held) ? { ...plan, sponsor: sponsor! } : plan;
      checkWalletAfter(plan, { ...held, lamportsLeft: held.lamports - (plan.sponsor ? 0n : networkFeeOf(plan)) });
      const intent = intentOf(wallet, plan);
      const message = buildMessage({ intent, blockhash: recent.blockhash, salt: saltOf(id), priorityLamports });
      return { kind: 'ready', plan, intent, message, lastValidBlockHeight: recent.lastValidBlockHeight };
    } catch (error) {
      return refusedPreparation(error, plan);
    }
  }

  describe(request: UnwrapRequest, plan: UnwrapPlan | undefined): OperationDescription {
    const facts = unwrapFacts(request, plan);
    const { amount } = facts;
    return { asset: NATIVE.symbol, amount, decimals: SOL_DECIMALS, facts: { $case: 'unwrapSol', value: facts } };
  }

  /** Explains an expiry: another unwrap may have been faster, or the lamports of the network fee may be gone. */
  async explainExpiry({ agentId }: OperationInput<UnwrapRequest>, plan: UnwrapPlan): Promise<AppError | undefined> {
    const wallet = await walletAddressOf(this.dependencies.wallets, agentId);
    const { priorityLamports = 0n } = plan;
    const held = { ...(await this.#holdings(wallet, plan.sponsor)), priorityLamports };
    const refusal = refusalOf(() => {
      planUnwrap({}, held.wrapped);
      checkCosts(costsOf(held, plan.sponsor !== undefined), 0n);
    });
    return refusal?.code === 'INSUFFICIENT_FUNDS' ? refusal : undefined;
  }

  async #holdings(wallet: string, sponsor: string | undefined): Promise<Holdings> {
    const { chain } = this.dependencies;
    const token = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM } as const;
    const addresses = [wallet, associatedTokenAddress({ owner: wallet, ...token }), ...(sponsor ? [sponsor] : [])];
    const [read, minimumLamports, rentLamports] = await Promise.all([
      chain.accounts(addresses),
      chain.rentExemptMinimumLamports(0),
      chain.rentExemptMinimumLamports(tokenAccountBytes({ ...token, extensions: [] })),
    ]);
    const [own, wrapped = null, paying] = read.accounts;
    const tokens = readTokenAccount(wrapped);
    const held = tokens?.owner === wallet ? tokens.amount : 0n;
    return {
      wrapped: { units: held, lamports: wrapped?.lamports ?? 0n, rentLamports },
      lamports: own?.lamports ?? 0n,
      minimumLamports,
      sponsorLamports: sponsor === undefined ? undefined : (paying?.lamports ?? 0n),
    };
  }
}

/**
 * @throws AppError INSUFFICIENT_FUNDS when neither wallet nor sponsor can pay the network fee, naming what the wallet lacks
 */
function isSponsorNeeded(held: PricedHoldings): boolean {
  const ofWallet = refusalOf(() => checkCosts(costsOf(held, false), 0n));
  if (!ofWallet) return false;
  const canBeSponsored = held.sponsorLamports !== undefined && !refusalOf(() => checkCosts(costsOf(held, true), 0n));
  if (!canBeSponsored) throw ofWallet;
  return true;
}

function costsOf(held: PricedHoldings, isSponsored: boolean): PaymentOfCosts {
  const { lamports, minimumLamports, priorityLamports } = held;
  const sponsorLamports = isSponsored ? (held.sponsorLamports ?? 0n) : undefined;
  const networkFeeLamports = feeOfMessage({ isSponsored, priorityLamports });
  return { lamports, minimumLamports, sponsorLamports, networkFeeLamports, rentLamports: 0n };
}

function intentOf(wallet: string, plan: UnwrapPlan): intentV1.Intent {
  const { amount, remainder } = plan;
  return { wallet, action: { $case: 'unwrap', value: { amount, remainder } }, ...payerOf(plan) };
}

/** Returns what is known of an unwrap: what its response, its event and history state. */
export function unwrapFacts(request: UnwrapRequest, plan: UnwrapPlan | undefined): walletV1.UnwrapFacts {
  return { amount: plan ? plan.amount : request.amount, sponsored: plan?.sponsor !== undefined };
}
