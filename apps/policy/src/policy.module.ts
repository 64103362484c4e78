import type { DynamicModule, Provider } from '@nestjs/common';
import { Settle } from './application/outcomes/settle.js';
import { Authorize } from './application/permits/authorize.js';
import { CheckSpending } from './application/permits/check-spending.js';
import { DryRun } from './application/permits/dry-run.js';
import { ExplainDenial } from './application/permits/explain-denial.js';
import { IssuePermit } from './application/permits/issue-permit.js';
import { SeekApproval } from './application/permits/seek-approval.js';
import { GetUsage } from './application/policies/get-usage.js';
import { ListFreezes, SetFreeze } from './application/policies/manage-freezes.js';
import {
  CancelClaims,
  ChooseTrust,
  CloseApproval,
  GetAgent,
  GetApproval,
  GetApprovalStates,
  ListAgents,
  ListApprovals,
  VoidOperations,
  Vote,
} from './application/owners/decide-approvals.js';
import { ConfirmRecovery, OverruleOwners } from './application/owners/overrule-owners.js';
import { RequestMember } from './application/owners/request-member.js';
import { RequestToken } from './application/owners/request-token.js';
import { FreezeAgent, RequestUnfreeze } from './application/owners/freeze-agent.js';
import { CreateLoginChallenge, VerifyLogin } from './application/owners/log-in.js';
import {
  AddPasskey,
  CreatePasskeyChallenge,
  ListPasskeys,
  RemovePasskey,
} from './application/owners/manage-passkeys.js';
import { ProposePolicyChange, RequestClaim } from './application/owners/request-approval.js';
import { ForgetRecipient, TightenPolicy } from './application/owners/tighten-policy.js';
import { CreatePolicy, GetPolicy, UpdatePolicy } from './application/policies/manage-policy.js';
import { LiquidityMints } from './application/pricing/liquidity-mints.js';
import { PriceEscrow } from './application/pricing/price-escrow.js';
import { PriceIntent } from './application/pricing/price-intent.js';
import { PriceLiquidity } from './application/pricing/price-liquidity.js';
import { PriceRequest } from './application/pricing/price-request.js';
import { PriceSwap } from './application/pricing/price-swap.js';
import { PriceTransfer } from './application/pricing/price-transfer.js';
import {
  GetRecovery,
  ListRecovered,
  UnfreezeTreasury,
  ReportWallets,
  StartRecovery,
} from './application/recovery/manage-recovery.js';
import { BindOperation, EndToken, ListTokens, OpenToken } from './application/tokens/manage-tokens.js';
import type { PolicyDependencies } from './dependencies.js';
import { OwnerController } from './grpc/owner.controller.js';
import { PolicyController } from './grpc/policy.controller.js';
import { RecoveryController } from './grpc/recovery.controller.js';
import { TokenController } from './grpc/token.controller.js';

/** Binds the use cases to their gRPC surface. */
export class PolicyModule {
  static with(dependencies: PolicyDependencies): DynamicModule {
    return {
      module: PolicyModule,
      controllers: [PolicyController, RecoveryController, OwnerController, TokenController],
      providers: [
        ...permitUseCases(dependencies),
        ...policyUseCases(dependencies),
        ...recoveryUseCases(dependencies),
        ...ownerUseCases(dependencies),
        ...tokenUseCases(dependencies),
      ],
    };
  }
}

function permitUseCases(dependencies: PolicyDependencies): Provider[] {
  const { reservations, operationApprovals, ownerConsole, recoveries, chain, terms, permits, clock } = dependencies;
  const { policies, verifiedTokens, prices } = dependencies;
  const liquidityMints = new LiquidityMints(chain);
  const pricing = {
    transfers: new PriceTransfer(chain, prices, liquidityMints),
    swaps: new PriceSwap(chain, prices, liquidityMints),
    escrows: new PriceEscrow(prices),
    liquidity: new PriceLiquidity(chain, prices),
  };
  const price = new PriceRequest(new PriceIntent(pricing, terms), policies, verifiedTokens, dependencies.tokens);
  const explain = new ExplainDenial(chain, dependencies.chainLag, dependencies.clock);
  const seek = new SeekApproval(reservations, operationApprovals, ownerConsole, terms.swaps);
  const answers = { explain, issue: new IssuePermit(permits, clock) };
  return [
    { provide: Authorize, useValue: new Authorize(price, seek, recoveries, answers) },
    { provide: DryRun, useValue: new DryRun(price, reservations, explain) },
    { provide: CheckSpending, useValue: new CheckSpending(reservations) },
    { provide: Settle, useValue: new Settle(reservations, dependencies.outcomes) },
    { provide: GetUsage, useValue: new GetUsage(reservations) },
  ];
}

function policyUseCases({ policies, freezes }: PolicyDependencies): Provider[] {
  return [
    { provide: CreatePolicy, useValue: new CreatePolicy(policies) },
    { provide: GetPolicy, useValue: new GetPolicy(policies) },
    { provide: UpdatePolicy, useValue: new UpdatePolicy(policies) },
    { provide: SetFreeze, useValue: new SetFreeze(freezes) },
    { provide: ListFreezes, useValue: new ListFreezes(freezes) },
  ];
}

function ownerUseCases({
  owners,
  approvals,
  operationApprovals,
  freezes,
  ownerConsole,
}: PolicyDependencies): Provider[] {
  return [
    { provide: CreatePasskeyChallenge, useValue: new CreatePasskeyChallenge(owners, ownerConsole) },
    { provide: AddPasskey, useValue: new AddPasskey(owners, approvals, ownerConsole) },
    { provide: RemovePasskey, useValue: new RemovePasskey(approvals, ownerConsole) },
    { provide: ListPasskeys, useValue: new ListPasskeys(owners) },
    { provide: CreateLoginChallenge, useValue: new CreateLoginChallenge(owners, ownerConsole) },
    { provide: VerifyLogin, useValue: new VerifyLogin(owners, ownerConsole) },
    { provide: RequestClaim, useValue: new RequestClaim(approvals, ownerConsole) },
    { provide: ProposePolicyChange, useValue: new ProposePolicyChange(approvals, ownerConsole) },
    { provide: GetApproval, useValue: new GetApproval(approvals) },
    { provide: ListApprovals, useValue: new ListApprovals(approvals) },
    { provide: Vote, useValue: new Vote(approvals, owners, ownerConsole) },
    { provide: CancelClaims, useValue: new CancelClaims(approvals) },
    { provide: ChooseTrust, useValue: new ChooseTrust(approvals, ownerConsole) },
    { provide: CloseApproval, useValue: new CloseApproval(approvals, ownerConsole) },
    { provide: ListAgents, useValue: new ListAgents(owners) },
    { provide: GetAgent, useValue: new GetAgent(owners) },
    { provide: ForgetRecipient, useValue: new ForgetRecipient(owners, ownerConsole) },
    { provide: FreezeAgent, useValue: new FreezeAgent(freezes, ownerConsole) },
    { provide: RequestUnfreeze, useValue: new RequestUnfreeze(approvals, ownerConsole) },
    { provide: TightenPolicy, useValue: new TightenPolicy(owners, ownerConsole) },
    { provide: GetApprovalStates, useValue: new GetApprovalStates(operationApprovals) },
    { provide: VoidOperations, useValue: new VoidOperations(operationApprovals) },
    { provide: RequestMember, useValue: new RequestMember(approvals, ownerConsole) },
    { provide: RequestToken, useValue: new RequestToken(approvals, ownerConsole) },
    { provide: OverruleOwners, useValue: new OverruleOwners(approvals, ownerConsole) },
    { provide: ConfirmRecovery, useValue: new ConfirmRecovery(approvals, ownerConsole) },
  ];
}

function tokenUseCases({ tokens }: PolicyDependencies): Provider[] {
  return [
    { provide: OpenToken, useValue: new OpenToken(tokens) },
    { provide: EndToken, useValue: new EndToken(tokens) },
    { provide: ListTokens, useValue: new ListTokens(tokens) },
    { provide: BindOperation, useValue: new BindOperation(tokens) },
  ];
}

function recoveryUseCases({ recoveries, chain, clock, terms }: PolicyDependencies): Provider[] {
  const operators = [terms.sponsorAddress, terms.treasuryAddress].filter((address) => address !== undefined);
  return [
    { provide: GetRecovery, useValue: new GetRecovery(recoveries, chain) },
    { provide: ReportWallets, useValue: new ReportWallets(recoveries, operators) },
    { provide: StartRecovery, useValue: new StartRecovery(recoveries, clock) },
    { provide: ListRecovered, useValue: new ListRecovered(recoveries) },
    { provide: UnfreezeTreasury, useValue: new UnfreezeTreasury(recoveries) },
  ];
}
