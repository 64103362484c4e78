import type { Clock } from '@agent-wallet/kernel';
import type { UsdPrices } from '@agent-wallet/prices';
import type { DynamicModule } from '@nestjs/common';
import { Authorize } from './application/authorize.js';
import { Check } from './application/check.js';
import type { FindOutcome } from './application/find-outcome.js';
import { GetUsage } from './application/get-usage.js';
import { CreatePolicy, GetPolicy, UpdatePolicy } from './application/manage-policy.js';
import { PriceTransfer } from './application/price-transfer.js';
import { Settle } from './application/settle.js';
import { POLICY_USE_CASES, type PolicyUseCases } from './application/use-cases.js';
import { PolicyController } from './grpc/policy.controller.js';
import type { PolicyChain } from './ports/chain.js';
import type { Ledger } from './ports/ledger.js';
import type { PermitSigner } from './ports/permit-signer.js';
import type { Policies } from './ports/policies.js';

/** What the use cases work with, opened by the start. */
export interface PolicyParts {
  readonly policies: Policies;
  readonly ledger: Ledger;
  readonly chain: PolicyChain;
  readonly prices: UsdPrices;
  readonly permits: PermitSigner;
  readonly outcomes: FindOutcome;
  readonly clock: Clock;
}

/** Binds the use cases to their gRPC surface. */
export class PolicyModule {
  static with({ policies, ledger, chain, prices, permits, outcomes, clock }: PolicyParts): DynamicModule {
    const pricing = new PriceTransfer(chain, prices);
    const useCases: PolicyUseCases = {
      createPolicy: new CreatePolicy(policies),
      getPolicy: new GetPolicy(policies),
      updatePolicy: new UpdatePolicy(policies),
      getUsage: new GetUsage(ledger),
      authorize: new Authorize(pricing, ledger, permits, clock),
      check: new Check(pricing, ledger),
      settle: new Settle(ledger, outcomes),
    };
    return {
      module: PolicyModule,
      controllers: [PolicyController],
      providers: [{ provide: POLICY_USE_CASES, useValue: useCases }],
    };
  }
}
