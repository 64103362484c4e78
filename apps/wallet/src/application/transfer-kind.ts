import type { intentV1 } from '@agent-wallet/contracts';
import {
  jsonPlan,
  type OperationDescription,
  type OperationInput,
  type OperationKind,
  type Preparation,
  refusedPreparation,
} from '@agent-wallet/operations';
import { buildMessage, LAMPORTS_PER_SIGNATURE, transferFeeInEpoch, withheldOf } from '@agent-wallet/solana';
import { checkFunds, refusalOf } from '../domain/funds.js';
import type { Operator } from '../domain/operator.js';
import type { OwnLandings } from '../domain/own-landings.js';
import { EXPECTED_MINTS, NATIVE } from '../domain/token-registry.js';
import { assertSafeToken } from '../domain/token-safety.js';
import { type TransferPlan, unitsOf } from '../domain/transfer-plan.js';
import type { TransferRequest } from '../domain/transfer-request.js';
import { chooseTerms } from '../domain/transfer-terms.js';
import type { TransferChain } from '../ports/transfer-chain.js';
import type { Wallets } from '../ports/wallets.js';
import { saltOf } from './message-salt.js';
import type { OperatorFees } from './operator-fees.js';
import { BLOCKHASH_MAX_AGE_MS, networkFeeOf, payerOf } from './preparation.js';
import { receivedOf } from './received-units.js';
import { planOfKnownToken, type ResolvedToken, resolveToken } from './resolve-token.js';
import { describeTransfer } from './transfer-description.js';
import { type Parties, readParties } from './transfer-parties.js';
import { walletAddressOf } from './wallet-address-of.js';

/** An epoch lasts days; its first seconds are not worth a call. */
const EPOCH_MAX_AGE_MS = 10_000;

/** What transfers work with. */
export interface TransferParts {
  readonly wallets: Wallets;
  readonly chain: TransferChain;
  readonly operator: Operator;
  readonly fees: OperatorFees;
  /** Is told of transfers that landed. */
  readonly landings: Pick<OwnLandings, 'add'>;
}

/** Money from an agent's wallet to another wallet. */
export class TransferKind implements OperationKind<TransferRequest, TransferPlan> {
  readonly action = 'transfer';
  readonly codec = jsonPlan<TransferPlan>();

  constructor(private readonly parts: TransferParts) {}

  async prepare({ id, agentId, request }: OperationInput<TransferRequest>): Promise<Preparation<TransferPlan>> {
    const { wallets, chain } = this.parts;
    let plan: TransferPlan | undefined;
    try {
      const [wallet, token] = await Promise.all([walletAddressOf(wallets, agentId), resolveToken(chain, request)]);
      plan = token.plan;
      assertSafeToken(token);
      const [planned, recent] = await Promise.all([
        this.#plan(token, wallet, request),
        chain.latestBlockhash({ maxAgeMs: BLOCKHASH_MAX_AGE_MS }),
      ]);
      plan = planned;
      const intent = intentOf(wallet, request, plan);
      const message = buildMessage({ intent, blockhash: recent.blockhash, salt: saltOf(id) });
      return { kind: 'ready', plan, intent, message, lastValidBlockHeight: recent.lastValidBlockHeight };
    } catch (error) {
      return refusedPreparation(error, plan);
    }
  }

  describe(request: TransferRequest, plan: TransferPlan | undefined): OperationDescription {
    return describeTransfer(request, plan ?? planOfKnownToken(request));
  }

  /** What the recipient got of a token whose mint takes a fee. @throws Error while the node does not know it */
  async landed(
    { agentId, request }: OperationInput<TransferRequest>,
    plan: TransferPlan,
    { signature }: { readonly signature: string },
  ): Promise<Partial<TransferPlan> | undefined> {
    // Of another token the recipient may be an agent whose account is not known yet: it is found by reading this one's.
    if ([NATIVE.mint, ...EXPECTED_MINTS].includes(plan.mint)) {
      this.parts.landings.add(signature, await walletAddressOf(this.parts.wallets, agentId));
    }
    if (plan.received === undefined) return undefined;
    const transaction = await this.parts.chain.transaction(signature, 'confirmed');
    if (!transaction) throw new Error('the node does not know the transaction yet');
    return { received: receivedOf(transaction, request.to, plan).toString() };
  }

  /** Two transfers of the same money cannot both land; the chain drops one whose fee nobody can pay without a word. */
  async whyDead({ agentId, request }: OperationInput<TransferRequest>, plan: TransferPlan) {
    const { wallets, chain } = this.parts;
    const wallet = await walletAddressOf(wallets, agentId);
    const parties = await readParties(chain, {
      ...{ wallet, recipient: request.to, memo: request.memo, plan },
      extensions: plan.received === undefined ? [] : ['transferFeeConfig'],
      operator: { sponsor: plan.sponsor, feeWallet: undefined },
    });
    const refusal = refusalOf(() =>
      checkFunds({
        ...parties,
        ...unitsOf(plan),
        ...{ token: tokenOf(plan, parties), networkFeeLamports: networkFeeOf(plan) },
      }),
    );
    return refusal?.code === 'INSUFFICIENT_FUNDS' ? refusal : undefined;
  }

  async #plan({ plan, ...mint }: ResolvedToken, wallet: string, request: TransferRequest): Promise<TransferPlan> {
    const { chain, operator, fees } = this.parts;
    const { to: recipient, memo } = request;
    const [parties, fee, head] = await Promise.all([
      readParties(chain, { wallet, recipient, memo, plan, operator, extensions: mint.extensions }),
      fees.of(plan),
      mint.transferFee ? chain.head({ maxAgeMs: EPOCH_MAX_AGE_MS }) : undefined,
    ]);
    const terms = chooseTerms({
      ...parties,
      token: tokenOf(plan, parties),
      amount: BigInt(plan.amount),
      fee: fees.waived(fee, plan, parties.canReceiveFee),
      signatureLamports: LAMPORTS_PER_SIGNATURE,
    });
    const withheld = head && withheldOf(transferFeeInEpoch(mint.transferFee!, head.epoch), terms.sent);
    return {
      ...plan,
      createsRecipientAccount: parties.createsRecipientAccount,
      ...(parties.createsRecipientAccount ? { rentLamports: parties.rentLamports.toString() } : {}),
      ...(terms.fee > 0n
        ? { fee: { amount: terms.fee.toString(), recipient: operator.feeWallet!, isDeducted: terms.isFeeDeducted } }
        : {}),
      ...(terms.isSponsored ? { sponsor: operator.sponsor! } : {}),
      ...(withheld === undefined ? {} : { received: (terms.sent - withheld).toString() }),
    };
  }
}

function tokenOf({ mint, symbol, decimals }: TransferPlan, { tokenUnits }: Parties) {
  return mint === NATIVE.mint ? undefined : { symbol, decimals, available: tokenUnits };
}

function intentOf(wallet: string, { to, memo }: TransferRequest, plan: TransferPlan): intentV1.Intent {
  const { mint, tokenProgram, decimals, createsRecipientAccount, fee } = plan;
  const value = {
    ...{ recipient: to, mint, tokenProgram, decimals, createsRecipientAccount, memo },
    amount: unitsOf(plan).sent,
    ...(fee ? { fee: BigInt(fee.amount), feeRecipient: fee.recipient } : {}),
  };
  return { wallet, action: { $case: 'transfer', value }, ...payerOf(plan) };
}
