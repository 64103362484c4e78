import type { policyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import {
  GetRecovery,
  ListRecovered,
  UnfreezeTreasury,
  ReportWallets,
  StartRecovery,
} from '../application/recovery/manage-recovery.js';
import { readWallets, recoveredMessage, recoveryMessage } from './messages.js';

/** Policy's gRPC surface of recoveries. */
@Controller()
export class RecoveryController implements GrpcController<policyV1.RecoveryServiceService> {
  constructor(
    @Inject(GetRecovery) private readonly getting: GetRecovery,
    @Inject(ReportWallets) private readonly reporting: ReportWallets,
    @Inject(StartRecovery) private readonly starting: StartRecovery,
    @Inject(ListRecovered) private readonly listing: ListRecovered,
    @Inject(UnfreezeTreasury) private readonly releasing: UnfreezeTreasury,
  ) {}

  async getRecovery({ countWallets = false }: policyV1.GetRecoveryRequest): Promise<policyV1.GetRecoveryResponse> {
    return recoveryMessage(await this.getting.execute(countWallets));
  }

  async reportWallets({
    recoveryId,
    wallets,
    isLastPage,
  }: policyV1.ReportWalletsRequest): Promise<policyV1.ReportWalletsResponse> {
    await this.reporting.execute(recoveryId, readWallets(wallets), isLastPage);
    return {};
  }

  async startRecovery({ sinceMs, ...note }: policyV1.StartRecoveryRequest): Promise<policyV1.StartRecoveryResponse> {
    return this.starting.execute(note, Number(sinceMs));
  }

  async listRecovered(): Promise<policyV1.ListRecoveredResponse> {
    return recoveredMessage(await this.listing.execute());
  }

  async unfreezeTreasury(note: policyV1.UnfreezeTreasuryRequest): Promise<policyV1.UnfreezeTreasuryResponse> {
    return this.releasing.execute(note);
  }
}
