import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { type BaseUnits, baseUnits, unknownToken } from '@agent-wallet/kernel';
import {
  BLOCKHASH_MAX_AGE_MS,
  requestedAmount,
  flag,
  integer,
  type OperationDescription,
  type OperationHandler,
  type OperationInput,
  optional,
  planCodec,
  type Preparation,
  type PreparationInput,
  record,
  refusedPreparation,
  requestCodec,
  saltOf,
  text,
} from '@agent-wallet/operations';
import {
  associatedTokenAddress,
  buildMessage,
  isTokenProgram,
  LAMPORTS_PER_SIGNATURE,
  type LandedTokenBalance,
  type LandedTransaction,
  type Mint,
  type MintState,
  MOST_UNITS,
  type PriorityFees,
  TOKEN_2022_PROGRAM,
  type TransferFeeConfig,
  transferFeeInEpoch,
  withheldOf,
} from '@agent-wallet/solana';
import type { Operator } from '../../domain/operator.js';
import type { OwnLandings } from '../../domain/own-landings.js';
import { NATIVE, type TokenRegistry } from '../../domain/token-registry.js';
import { assertSafeToken, type MintTraits } from '../../domain/token-safety.js';
import {
  type OperatorFee,
  sentOf,
  transferOf,
  type TransferPlan,
  type TransferRequest,
} from '../../domain/transfer.js';
import { checkFunds, chooseTerms, refusalOf } from '../../domain/wallet-funds.js';
import type { TransferChain } from '../../ports/transfer-chain.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { networkFeeOf, offering, payerOf, units, walletAddressOf } from '../operations/preparation.js';
import type { OperatorFees } from './operator-fees.js';
import { planOfKnownToken, transferFacts } from './transfer-facts.js';
import { type Parties, readParties } from './transfer-parties.js';

/** An epoch lasts days; its first seconds are not worth a call. */
const EPOCH_MAX_AGE_MS = 10_000;

/** Dependencies of transfers. */
interface TransferDependencies {
  readonly wallets: WalletStore;
  readonly registry: TokenRegistry;
  readonly chain: TransferChain;
  readonly operator: Operator;
  readonly fees: OperatorFees;
  readonly priority: PriorityFees;
  /** Gets every transfer that landed. */
  readonly landings: Pick<OwnLandings, 'add'>;
}

/** A transfer to be planned. */
interface PlannedTransfer {
  readonly id: string;
  readonly request: TransferRequest;
  /** The operator's fee that an owner has signed; undefined when none was asked. */
  readonly fee: bigint | undefined;
}

/** A transfer whose token is known, and what its mint does with transfers. */
interface ResolvedTransfer extends MintTraits {
  readonly plan: TransferPlan;
  readonly transferFee: TransferFeeConfig | null;
}

/** Money from an agent's wallet to another wallet. */
export class TransferHandler implements OperationHandler<TransferRequest, TransferPlan> {
  readonly action = 'transfer';
  readonly codec = {
    request: requestCodec(record<TransferRequest>({ to: text, mint: text, amount: requestedAmount, memo: text })),
    plan: planCodec(
      record<TransferPlan>({
        mint: text,
        symbol: text,
        decimals: integer,
        tokenProgram: text,
        amount: units,
        createsRecipientAccount: flag,
        rentLamports: optional(units),
        sponsor: optional(text),
        fee: optional(record<OperatorFee>({ amount: units, recipient: text, isDeducted: flag })),
        received: optional(units),
        priorityLamports: optional(units),
      }),
    ),
  };

  constructor(private readonly dependencies: TransferDependencies) {}

  spending(): policyV1.Spending {
    return policyV1.Spending.SPENDING_PAYMENT;
  }

  /** Prepares a transfer. After an approval the fee is the one that the owner has signed, also at another price. */
  async prepare({
    id,
    agentId,
    request,
    plan: asked,
  }: PreparationInput<TransferRequest, TransferPlan>): Promise<Preparation<TransferPlan>> {
    const { wallets, registry, chain } = this.dependencies;
    let plan: TransferPlan | undefined;
    try {
      const [wallet, resolved] = await Promise.all([
        walletAddressOf(wallets, agentId),
        resolve({ chain, registry }, request),
      ]);
      plan = resolved.plan;
      assertSafeToken({ ...resolved, address: plan.mint });
      const [planned, recent] = await Promise.all([
        this.#plan(resolved, wallet, { id, request, fee: asked && (asked.fee?.amount ?? 0n) }),
        chain.latestBlockhash({ maxAgeMs: BLOCKHASH_MAX_AGE_MS }),
      ]);
      plan = planned;
      const intent = intentOf(wallet, request, plan);
      const { priorityLamports } = plan;
      const message = buildMessage({ intent, blockhash: recent.blockhash, salt: saltOf(id), priorityLamports });
      return { kind: 'ready', plan, intent, message, lastValidBlockHeight: recent.lastValidBlockHeight };
    } catch (error) {
      return refusedPreparation(error, plan);
    }
  }

  /** Describes a transfer. The amount is unknown until the chain returns the mint's decimals. */
  describe(request: TransferRequest, plan: TransferPlan | undefined): OperationDescription {
    const facts = transferFacts(request, plan ?? planOfKnownToken(request, this.dependencies.registry));
    const { symbol: asset, amount, decimals, recipient: to } = facts;
    return { asset, amount, decimals, to, facts: { $case: 'transfer', value: facts } };
  }

  /**
   * Returns the amount that the recipient got of a token whose mint takes a fee.
   * @throws Error while the node does not know it
   */
  async landed(
    { agentId, request }: OperationInput<TransferRequest>,
    plan: TransferPlan,
    { signature }: { readonly signature: string },
  ): Promise<Partial<TransferPlan> | undefined> {
    const { wallets, registry, chain, landings } = this.dependencies;
    // Of another token the recipient may be an agent whose account is not known yet: it is found by reading this one's.
    if ([NATIVE.mint, ...registry.expectedMints].includes(plan.mint)) {
      landings.add(signature, await walletAddressOf(wallets, agentId));
    }
    if (plan.received === undefined) return undefined;
    const transaction = await chain.transaction(signature, 'confirmed');
    if (!transaction) throw new Error('the node does not know the transaction yet');
    return { received: receivedOf(transaction, request.to, plan) };
  }

  /**
   * Explains an expiry. Two transfers of the same money cannot both land; the chain silently drops one whose fee cannot
   * be paid.
   */
  async explainExpiry({ agentId, request }: OperationInput<TransferRequest>, plan: TransferPlan) {
    const { wallets, chain } = this.dependencies;
    const wallet = await walletAddressOf(wallets, agentId);
    const parties = await readParties(chain, {
      wallet,
      recipient: request.to,
      memo: request.memo,
      plan,
      extensions: plan.received === undefined ? [] : ['transferFeeConfig'],
      operator: { sponsor: plan.sponsor, feeWallet: undefined },
    });
    const refusal = refusalOf(() =>
      checkFunds({
        ...parties,
        sent: sentOf(plan),
        fee: plan.fee?.amount ?? 0n,
        token: availableOf(plan, parties),
        networkFeeLamports: networkFeeOf(plan),
      }),
    );
    return refusal?.code === 'INSUFFICIENT_FUNDS' ? refusal : undefined;
  }

  /** Returns what is offered for the message's place, by the accounts that others write to as well. */
  #priorityOf(id: string, { mint, tokenProgram }: TransferPlan, { to, memo }: TransferRequest): Promise<bigint> {
    const { priority, operator } = this.dependencies;
    const owners = [to, ...(operator.feeWallet ? [operator.feeWallet] : [])];
    const isToken = isTokenProgram(tokenProgram);
    const accounts = isToken ? owners.map((owner) => associatedTokenAddress({ owner, mint, tokenProgram })) : owners;
    return priority.lamportsFor({ accounts, units: MOST_UNITS.payment({ isToken, memo }) + saltOf(id) });
  }

  async #plan(
    { plan, ...mint }: ResolvedTransfer,
    wallet: string,
    { id, request, fee: signed }: PlannedTransfer,
  ): Promise<TransferPlan> {
    const { chain, operator, fees } = this.dependencies;
    const { to: recipient, memo } = request;
    const [parties, fee, priorityLamports, head] = await Promise.all([
      readParties(chain, { wallet, recipient, memo, plan, operator, extensions: mint.extensions }),
      signed ?? fees.of(plan),
      this.#priorityOf(id, plan, request),
      mint.transferFee ? chain.head({ maxAgeMs: EPOCH_MAX_AGE_MS }) : undefined,
    ]);
    const terms = chooseTerms({
      ...parties,
      token: availableOf(plan, parties),
      amount: plan.amount,
      fee: fees.waived(fee, plan, parties.feeAccount),
      signatureLamports: LAMPORTS_PER_SIGNATURE,
      priorityLamports,
    });
    const withheld = head && withheldOf(transferFeeInEpoch(mint.transferFee!, head.epoch), terms.sent);
    return {
      ...plan,
      createsRecipientAccount: parties.createsRecipientAccount,
      ...(parties.createsRecipientAccount ? { rentLamports: baseUnits(parties.rentLamports) } : {}),
      ...(terms.fee > 0n
        ? { fee: { amount: baseUnits(terms.fee), recipient: operator.feeWallet!, isDeducted: terms.isFeeDeducted } }
        : {}),
      ...(terms.isSponsored ? { sponsor: operator.sponsor! } : {}),
      ...offering(priorityLamports),
      ...(withheld === undefined ? {} : { received: baseUnits(terms.sent - withheld) }),
    };
  }
}

const PLAIN = { extensions: [], accountsBeginFrozen: false, transferFee: null } as const;

/** Finds the token that a request names. @throws AppError UNKNOWN_TOKEN, VALIDATION_ERROR for the amount */
async function resolve(
  { chain, registry }: Pick<TransferDependencies, 'chain' | 'registry'>,
  request: TransferRequest,
): Promise<ResolvedTransfer> {
  const plan = planOfKnownToken(request, registry);
  if (plan) return { ...PLAIN, plan };
  const mint = await readMint(chain, request.mint);
  if (!mint) throw unknownToken('mint', request.mint, registry.named);
  const { address, decimals, tokenProgram } = mint;
  return {
    ...PLAIN,
    ...mint,
    plan: transferOf(request, { mint: address, symbol: registry.symbolOf(address), decimals, tokenProgram }),
  };
}

/**
 * Reads a mint. Token-2022 mints can change their behavior at any time, so their state is read; mints of the classic
 * program have none.
 */
async function readMint(chain: TransferChain, address: string): Promise<Mint | MintState | null> {
  const mint = await chain.mint(address);
  return mint?.tokenProgram === TOKEN_2022_PROGRAM ? chain.mintState(address) : mint;
}

/** Returns the base units by which a transaction raised the balance of the recipient's token account. */
function receivedOf(
  { preTokenBalances, postTokenBalances }: Pick<LandedTransaction, 'preTokenBalances' | 'postTokenBalances'>,
  recipient: string,
  { mint, tokenProgram }: TransferPlan,
): BaseUnits {
  if (!isTokenProgram(tokenProgram)) throw new TypeError('only tokens have token accounts');
  const account = associatedTokenAddress({ owner: recipient, mint, tokenProgram });
  const amountIn = (balances: readonly LandedTokenBalance[]) =>
    balances.find((balance) => balance.account === account)?.amount;
  const after = amountIn(postTokenBalances);
  if (after === undefined) throw new Error("the node does not report the recipient's balance");
  return baseUnits(after - (amountIn(preTokenBalances) ?? 0n));
}

function availableOf({ mint, symbol, decimals }: TransferPlan, { tokenUnits }: Parties) {
  return mint === NATIVE.mint ? undefined : { mint, symbol, decimals, available: tokenUnits };
}

function intentOf(wallet: string, { to, memo }: TransferRequest, plan: TransferPlan): intentV1.Intent {
  const { mint, tokenProgram, decimals, createsRecipientAccount, fee } = plan;
  const value = {
    recipient: to,
    mint,
    tokenProgram,
    decimals,
    createsRecipientAccount,
    memo,
    amount: sentOf(plan),
    ...(fee ? { fee: fee.amount, feeRecipient: fee.recipient } : {}),
  };
  return { wallet, action: { $case: 'transfer', value }, ...payerOf(plan) };
}
