import type { Clock } from '@agent-wallet/kernel';
import type { UsdPrices } from '@agent-wallet/prices';
import type { DynamicModule } from '@nestjs/common';
import { Appraise } from './application/appraise.js';
import { Authorize } from './application/authorize.js';
import { Check } from './application/check.js';
import type { FindOutcome } from './application/find-outcome.js';
import { GetUsage } from './application/get-usage.js';
import { IssuePermit } from './application/issue-permit.js';
import { ListFreezes, SetFreeze } from './application/manage-freezes.js';
import { CreatePolicy, GetPolicy, UpdatePolicy } from './application/manage-policy.js';
import { PriceEscrow } from './application/price-escrow.js';
import { PriceSwap } from './application/price-swap.js';
import { PriceTransfer } from './application/price-transfer.js';
import type { IntentTerms } from './application/read-intent.js';
import {
  GetRecovery,
  ListRecovered,
  ReleaseTreasury,
  ReportWallets,
  StartRecovery,
} from './application/recovery/manage-recovery.js';
import { RECOVERY_USE_CASES, type RecoveryUseCases } from './application/recovery/use-cases.js';
import { Refuse } from './application/refuse.js';
import { Settle } from './application/settle.js';
import { POLICY_USE_CASES, type PolicyUseCases } from './application/use-cases.js';
import { PolicyController } from './grpc/policy.controller.js';
import { RecoveryController } from './grpc/recovery.controller.js';
import type { PolicyChain } from './ports/chain.js';
import type { Freezes } from './ports/freezes.js';
import type { Ledger } from './ports/ledger.js';
import type { PermitSigner } from './ports/permit-signer.js';
import type { Policies } from './ports/policies.js';
import type { Recoveries } from './ports/recoveries.js';

/** What the use cases work with, opened by the start. */
export interface PolicyParts {
  readonly policies: Policies;
  readonly ledger: Ledger;
  readonly freezes: Freezes;
  readonly recoveries: Recoveries;
  readonly terms: IntentTerms;
  readonly chain: PolicyChain;
  readonly prices: UsdPrices;
  /** The same prices, of which nothing is written down. */
  readonly pricesForChecks: UsdPrices;
  readonly permits: PermitSigner;
  readonly outcomes: FindOutcome;
  readonly clock: Clock;
}

/** Binds the use cases to their gRPC surface. */
export class PolicyModule {
  static with(parts: PolicyParts): DynamicModule {
    const { policies, ledger, freezes, recoveries, chain } = parts;
    const appraiseAt = (prices: UsdPrices) =>
      new Appraise(
        {
          transfers: new PriceTransfer(chain, prices),
          swaps: new PriceSwap(chain, prices),
          escrows: new PriceEscrow(prices),
        },
        parts.terms,
      );
    const refuse = new Refuse(chain);
    const issue = new IssuePermit(parts.permits, parts.clock);
    const useCases: PolicyUseCases = {
      createPolicy: new CreatePolicy(policies),
      getPolicy: new GetPolicy(policies),
      updatePolicy: new UpdatePolicy(policies),
      getUsage: new GetUsage(ledger),
      authorize: new Authorize(appraiseAt(parts.prices), ledger, recoveries, { refuse, issue }),
      check: new Check(appraiseAt(parts.pricesForChecks), ledger, refuse),
      settle: new Settle(ledger, parts.outcomes),
      setFreeze: new SetFreeze(freezes),
      listFreezes: new ListFreezes(freezes),
    };
    return {
      module: PolicyModule,
      controllers: [PolicyController, RecoveryController],
      providers: [
        { provide: POLICY_USE_CASES, useValue: useCases },
        { provide: RECOVERY_USE_CASES, useValue: recoveryUseCases(parts) },
      ],
    };
  }
}

function recoveryUseCases({ recoveries, chain, clock, terms }: PolicyParts): RecoveryUseCases {
  const operators = [terms.sponsorAddress, terms.treasuryAddress].filter((address) => address !== undefined);
  return {
    getRecovery: new GetRecovery(recoveries, chain),
    reportWallets: new ReportWallets(recoveries, operators),
    startRecovery: new StartRecovery(recoveries, clock),
    listRecovered: new ListRecovered(recoveries),
    releaseTreasury: new ReleaseTreasury(recoveries),
  };
}
