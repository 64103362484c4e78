import type { walletV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid, invalidAddress, newId, unknownToken } from '@agent-wallet/kernel';
import {
  isAwaitingApproval,
  type OperationEngine,
  type OperationRecord,
  type RequestedApproval,
} from '@agent-wallet/operations';
import { isAddress, isReservedAddress } from '@agent-wallet/solana';
import { belongsToProgram, isMintOf } from '../../domain/recipient.js';
import type { TokenRegistry } from '../../domain/token-registry.js';
import { changesByTransfer, checkMemo, type TransferPlan, type TransferRequest } from '../../domain/transfer.js';
import type { PolicyCheck } from '../../ports/policy-check.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { walletAddressOf } from '../operations/preparation.js';
import { type DryRunPlan, dryRunOf, type SimulatingChain } from '../operations/dry-run.js';
import { planOfKnownToken, transferFacts } from './transfer-facts.js';
import type { TransferHandler } from './transfer-handler.js';

/** A caller's request for a transfer. */
interface TransferCall {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: TransferRequest;
  readonly waitMs: number;
  /** Whether a transfer that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}

/** A transfer that landed or may land, or that waits for an approval. */
export interface TransferResult {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  readonly facts: walletV1.TransferFacts;
  /** Undefined while no message was built. */
  readonly networkFeeLamports: bigint | undefined;
  /** The approval requested of an owner, while nothing is signed or reserved; undefined otherwise. */
  readonly approval: RequestedApproval | undefined;
}

/** Sends money. */
export class Transfer {
  constructor(
    private readonly wallets: WalletStore,
    private readonly registry: TokenRegistry,
    private readonly handler: TransferHandler,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Sends money once for each operation id, and answers what is known when the wait is over.
   * @throws AppError of any code: nothing moved and nothing will; only TRANSACTION_FAILED has cost a fee
   */
  async execute({ operationId, agentId, request, waitMs, cancelIfNotStarted }: TransferCall): Promise<TransferResult> {
    assertUuid('operationId', operationId);
    assertUuid('agentId', agentId);
    checkTransfer(request, await walletAddressOf(this.wallets, agentId), this.registry);
    const operation = { id: operationId, agentId, request, waitMs, cancelIfNotStarted };
    return this.#answer(await this.engine.run(this.handler, operation));
  }

  #answer(record: OperationRecord<TransferRequest, TransferPlan>): TransferResult {
    if (record.error) throw record.error;
    return {
      isConfirmed: record.state === 'confirmed',
      signature: record.attempt?.signature,
      facts: transferFacts(record.request, record.plan ?? planOfKnownToken(record.request, this.registry)),
      networkFeeLamports: record.attempt?.networkFeeLamports,
      approval: isAwaitingApproval(record) ? record.approval : undefined,
    };
  }
}

/** Says what a transfer would come to, and does nothing. */
export class DryRunTransfer {
  constructor(
    private readonly wallets: WalletStore,
    private readonly handler: TransferHandler,
    private readonly parts: {
      readonly registry: TokenRegistry;
      readonly policy: PolicyCheck;
      readonly chain: SimulatingChain;
    },
  ) {}

  /** @throws AppError as Transfer would; a refusal by policy is in the answer */
  async execute(agentId: string, request: TransferRequest): Promise<DryRunPlan<TransferPlan>> {
    assertUuid('agentId', agentId);
    const { handler, parts } = this;
    checkTransfer(request, await walletAddressOf(this.wallets, agentId), parts.registry);
    return dryRunOf({ handler, ...parts }, { id: newId(), agentId, request }, changesByTransfer);
  }
}

/**
 * Refuses a transfer that can be refused without asking anyone. Fields are named as in the public API. Whether an
 * off-curve address may be sent to is policy's to say: only the agent's own list of recipients can vouch for one.
 * @throws AppError VALIDATION_ERROR, UNKNOWN_TOKEN or INVALID_ADDRESS
 */
export function checkTransfer(request: TransferRequest, wallet: string, registry: TokenRegistry): void {
  if (!planOfKnownToken(request, registry) && !isAddress(request.mint))
    throw unknownToken('mint', request.mint, registry.named);
  checkMemo(request);
  const { to } = request;
  if (!isAddress(to)) throw invalidAddress('to', 'not_an_address', { reason: 'is not a Solana address' });
  const mint = registry.known(to);
  if (mint) throw isMintOf(mint.symbol);
  if (isReservedAddress(to)) throw belongsToProgram();
  if (to === wallet) throw AppError.field('to', 'must not be your own wallet');
}
