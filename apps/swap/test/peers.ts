import { type intentV1, policyV1, type walletV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { OperationApprovals, OperationPolicy } from '@agent-wallet/operations';
import { type SolanaChain, transactionSignature } from '@agent-wallet/solana';
import type { PolicyCheck } from '../src/ports/policy-check.js';
import type { WalletDirectory } from '../src/ports/wallet-directory.js';

interface Reservation {
  readonly intent: intentV1.Intent;
  readonly hash: string;
  readonly diesAboveHeight: number;
  outcome: policyV1.Outcome;
}

/** Longer than any message lives. */
const LIFE_BLOCKS = 190;

/** Reserves once an attempt, for one hash, and reads outcomes from the chain. */
export class TestPolicy implements OperationPolicy, PolicyCheck {
  readonly reservations = new Map<string, Reservation>();
  readonly checked: policyV1.DryRunAuthorizeRequest[] = [];
  /** What the next Authorize answers instead. */
  refusal: AppError | undefined;

  /** What a freeze or a switch refuses. */
  stop: AppError | undefined;

  constructor(private readonly chain: SolanaChain) {}

  /** Reservations that still count in full. */
  get open(): number {
    return [...this.reservations.values()].filter(({ outcome }) => outcome === policyV1.Outcome.OUTCOME_OPEN).length;
  }

  outcomeOf(operationId: string): policyV1.Outcome | undefined {
    return this.reservations.get(operationId)?.outcome;
  }

  /** What was permitted under a permit's claims. */
  intentOf(claims: Buffer): intentV1.Intent | undefined {
    return this.reservations.get(claims.toString())?.intent;
  }

  async checkSpending(): Promise<policyV1.CheckSpendingResponse> {
    if (this.stop) throw this.stop;
    return {};
  }

  async getUsage(): Promise<policyV1.GetUsageResponse> {
    return policyV1.GetUsageResponse.decode(Buffer.alloc(0));
  }

  async dryRunAuthorize(request: policyV1.DryRunAuthorizeRequest): Promise<policyV1.DryRunAuthorizeResponse> {
    this.checked.push(request);
    return { allowed: true, rule: '', usage: undefined };
  }

  async authorize(request: policyV1.AuthorizeRequest): Promise<policyV1.AuthorizeResponse> {
    if (this.refusal) throw this.refusal;
    const { operationId, intent } = request;
    const hash = request.messageHash.toString('hex');
    const known = this.reservations.get(operationId);
    if (known && known.hash !== hash) throw new AppError('PERMIT_CONFLICT');
    if (!known) {
      const { blockHeight } = await this.chain.head();
      const open = { outcome: policyV1.Outcome.OUTCOME_OPEN, diesAboveHeight: blockHeight + LIFE_BLOCKS };
      this.reservations.set(operationId, { intent: intent!, hash, ...open });
    }
    const claims = Buffer.from(operationId);
    return { permit: { claims, signature: request.messageHash, keyId: 'test' }, reservedUsdMicros: 1n };
  }

  async settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse> {
    const known = this.reservations.get(request.operationId);
    if (!known) throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
    known.outcome = await this.#read(request, known);
    return { outcome: known.outcome };
  }

  async #read({ signature }: policyV1.SettleRequest, { diesAboveHeight }: Reservation): Promise<policyV1.Outcome> {
    const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;
    const text = signature.length > 0 ? transactionSignature(Buffer.concat([Buffer.of(1), signature])) : undefined;
    const found = text ? (await this.chain.signatureStatus(text, { searchHistory: true })).status : null;
    if (found) return found.error === null ? OUTCOME_SETTLED : OUTCOME_FAILED;
    return (await this.chain.finalizedHead()).blockHeight > diesAboveHeight ? OUTCOME_EXPIRED : OUTCOME_OPEN;
  }
}

/** What owners decide, as policy says it. */
export class TestApprovals implements OperationApprovals {
  readonly states = new Map<string, policyV1.ApprovalState>();

  async getApprovalStates({
    approvalIds,
  }: policyV1.GetApprovalStatesRequest): Promise<policyV1.GetApprovalStatesResponse> {
    const approvals = approvalIds.flatMap((approvalId) => {
      const state = this.states.get(approvalId);
      return state === undefined ? [] : [{ approvalId, state, expiresAtMs: 1_000n }];
    });
    return { approvals };
  }
}

const NOBODY = { freezeAuthority: '', mintAuthority: '', permanentDelegate: '', transferHook: '', transferFeeBps: 0 };

/** What the wallet service would say. */
export class TestWallets implements WalletDirectory {
  readonly addresses = new Map<string, string>();
  readonly tokens = new Map<string, Partial<walletV1.GetTokenResponse>>();
  sponsorAddress: string | undefined;

  async getWallet({ agentId }: walletV1.GetWalletRequest): Promise<walletV1.GetWalletResponse> {
    const address = this.addresses.get(agentId);
    if (!address) throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
    return { address, sponsorAddress: this.sponsorAddress };
  }

  async getToken({ query }: walletV1.GetTokenRequest): Promise<walletV1.GetTokenResponse> {
    const known = this.tokens.get(query);
    if (!known) throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
    return {
      ...{ mint: query, symbol: 'X', name: 'X', decimals: 0, verified: true },
      safety: { ...NOBODY, maxTransferFee: 0n, unsafeExtensions: [] },
      ...known,
    };
  }
}
