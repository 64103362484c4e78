import type { Eviction, EvictionReports } from '../../ports/eviction-reports.js';
import type { OwnersService } from '../../ports/owners-service.js';

/**
 * Has policy void what an agent waits for once all its sessions have ended. What a crash or an outage of policy leaves in
 * between, any replica finishes. A report that comes twice, or late, changes nothing that was asked for afterwards.
 */
export class ReportEvictions {
  constructor(
    private readonly reports: EvictionReports,
    private readonly service: Pick<OwnersService, 'voidOperations'>,
  ) {}

  /**
   * Reports an eviction to policy. Once it returns, no approval lets the agent's earlier operations spend.
   * @throws what policy throws
   */
  async report(eviction: Eviction): Promise<void> {
    const { agentId, askedBeforeMs, tokenIds } = eviction;
    await this.service.voidOperations(agentId, askedBeforeMs, tokenIds);
    await this.reports.forget(eviction);
  }

  /** Reports what is left over. @returns whether there may be more */
  async finish(): Promise<boolean> {
    const due = await this.reports.takeDue();
    const finished = await Promise.allSettled(due.map((eviction) => this.report(eviction)));
    const failed = finished.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return due.length > 0;
  }
}
