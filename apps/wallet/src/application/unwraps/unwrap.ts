import type { walletV1 } from '@agent-wallet/contracts';
import { assertUuid, newId } from '@agent-wallet/kernel';
import type { OperationEngine } from '@agent-wallet/operations';
import { changesByUnwrap, type UnwrapPlan, type UnwrapRequest } from '../../domain/unwrap.js';
import type { PolicyCheck } from '../../ports/policy-check.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { walletAddressOf } from '../operations/preparation.js';
import { type DryRunPlan, dryRunOf, type SimulatingChain } from '../operations/dry-run.js';
import { unwrapFacts, type UnwrapHandler } from './unwrap-handler.js';

/** A caller's request for an unwrap. */
interface UnwrapCall {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: UnwrapRequest;
  readonly waitMs: number;
  /** Whether an unwrap that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}

/** An unwrap that landed or may land. */
interface UnwrapResult {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  readonly facts: walletV1.UnwrapFacts;
  /** Undefined while no message was built. */
  readonly networkFeeLamports: bigint | undefined;
}

/** Makes SOL of wrapped SOL. */
export class Unwrap {
  constructor(
    private readonly wallets: WalletStore,
    private readonly handler: UnwrapHandler,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Unwraps once for each operation id, and answers what is known when the wait is over.
   * @throws AppError of any code: nothing moved and nothing will; only TRANSACTION_FAILED has cost a fee
   */
  async execute({ operationId, agentId, request, waitMs, cancelIfNotStarted }: UnwrapCall): Promise<UnwrapResult> {
    assertUuid('operationId', operationId);
    assertUuid('agentId', agentId);
    await walletAddressOf(this.wallets, agentId);
    const { error, state, attempt, plan } = await this.engine.run(this.handler, {
      id: operationId,
      agentId,
      request,
      waitMs,
      cancelIfNotStarted,
    });
    if (error) throw error;
    const { signature, networkFeeLamports } = attempt ?? {};
    return { isConfirmed: state === 'confirmed', signature, facts: unwrapFacts(request, plan), networkFeeLamports };
  }
}

/** Says what an unwrap would come to, and does nothing. */
export class DryRunUnwrap {
  constructor(
    private readonly handler: UnwrapHandler,
    private readonly policy: PolicyCheck,
    private readonly chain: SimulatingChain,
  ) {}

  /** @throws AppError as Unwrap would; a refusal by policy is in the answer */
  async execute(agentId: string, request: UnwrapRequest): Promise<DryRunPlan<UnwrapPlan>> {
    assertUuid('agentId', agentId);
    const { handler, policy, chain } = this;
    return dryRunOf({ handler, policy, chain }, { id: newId(), agentId, request }, changesByUnwrap);
  }
}
