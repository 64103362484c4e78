import { policyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { RECOVERY_USE_CASES, type RecoveryUseCases } from '../application/recovery/use-cases.js';
import { readUuid } from './messages.js';

/** Policy's gRPC surface of recoveries. */
@Controller()
export class RecoveryController implements GrpcController<policyV1.RecoveryServiceService> {
  constructor(@Inject(RECOVERY_USE_CASES) private readonly useCases: RecoveryUseCases) {}

  async getRecovery(): Promise<policyV1.GetRecoveryResponse> {
    const status = await this.useCases.getRecovery.execute();
    return {
      recovering: status.isRecovering,
      recoveryId: status.id,
      reason: status.reason,
      startedAtMs: BigInt(status.startedAtMs),
      endedAtMs: BigInt(status.endedAtMs ?? 0),
      blocksLeft: status.blocksLeft === undefined ? undefined : BigInt(status.blocksLeft),
      walletsTold: status.areWalletsTold,
      walletCount: status.walletCount,
      walletsRead: status.readCount,
      heldAgentIds: [...status.heldAgents],
      treasuryHeld: status.isTreasuryHeld,
    };
  }

  async reportWallets({
    recoveryId,
    wallets,
    last,
  }: policyV1.ReportWalletsRequest): Promise<policyV1.ReportWalletsResponse> {
    const named = wallets.map(({ agentId, address }) => ({ agentId: readUuid('wallets.agentId', agentId), address }));
    await this.useCases.reportWallets.execute(recoveryId, named, last);
    return {};
  }

  async startRecovery({ sinceMs, ...note }: policyV1.StartRecoveryRequest): Promise<policyV1.StartRecoveryResponse> {
    return this.useCases.startRecovery.execute(note, Number(sinceMs));
  }

  async listRecovered(): Promise<policyV1.ListRecoveredResponse> {
    const counted = await this.useCases.listRecovered.execute();
    const transactions = counted.map(({ signature, slot, landedAtMs, agentId = '', valueUsdMicros, isFrozen }) => ({
      ...{
        signature,
        agentId,
        valueUsdMicros,
        slot: BigInt(slot),
        landedAtMs: BigInt(landedAtMs ?? 0),
        frozen: isFrozen,
      },
    }));
    return { transactions };
  }

  async releaseTreasury(note: policyV1.ReleaseTreasuryRequest): Promise<policyV1.ReleaseTreasuryResponse> {
    return this.useCases.releaseTreasury.execute(note);
  }
}
