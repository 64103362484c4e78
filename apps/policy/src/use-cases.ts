import { Settle } from './application/outcomes/settle.js';
import {
  ChooseTrust,
  CloseApproval,
  GetAgent,
  GetApproval,
  GetApprovalStates,
  ListApprovals,
  VoidOperations,
  Vote,
} from './application/owners/decide-approvals.js';
import { FreezeAgent, RequestUnfreeze } from './application/owners/freeze-agent.js';
import { CreateLoginChallenge, VerifyLogin } from './application/owners/log-in.js';
import { AddPasskey, CreatePasskeyChallenge, RemovePasskey } from './application/owners/manage-passkeys.js';
import { ConfirmRecovery, OverruleOwners } from './application/owners/overrule-owners.js';
import { ProposePolicyChange, RequestClaim } from './application/owners/request-approval.js';
import { RequestMember } from './application/owners/request-member.js';
import { RequestToken } from './application/owners/request-token.js';
import { ForgetRecipient, TightenPolicy } from './application/owners/tighten-policy.js';
import { Authorize } from './application/permits/authorize.js';
import { CheckSpending } from './application/permits/check-spending.js';
import { DryRun } from './application/permits/dry-run.js';
import { ExplainDenial } from './application/permits/explain-denial.js';
import { IssuePermit } from './application/permits/issue-permit.js';
import { SeekApproval } from './application/permits/seek-approval.js';
import { GetUsage } from './application/policies/get-usage.js';
import { SetFreeze } from './application/policies/manage-freezes.js';
import { GetPolicy, UpdatePolicy } from './application/policies/manage-policy.js';
import { LiquidityMints } from './application/pricing/liquidity-mints.js';
import { PriceEscrow } from './application/pricing/price-escrow.js';
import { PriceIntent } from './application/pricing/price-intent.js';
import { PriceLiquidity } from './application/pricing/price-liquidity.js';
import { PriceRequest } from './application/pricing/price-request.js';
import { PriceSwap } from './application/pricing/price-swap.js';
import { PriceTransfer } from './application/pricing/price-transfer.js';
import { GetRecovery, ReportWallets, StartRecovery, UnfreezeTreasury } from './application/recovery/manage-recovery.js';
import { BindOperation, EndToken, OpenToken } from './application/tokens/manage-tokens.js';
import type { PolicyDependencies } from './dependencies.js';

/** Use cases of policies and permits, and the stores that callers read directly. */
export type PolicyUseCases = ReturnType<typeof policyUseCases>;

/** Creates the use cases of policies and permits. */
export function policyUseCases(dependencies: PolicyDependencies) {
  const { reservations, operationApprovals, ownerConsole, recoveries, chain, terms, permits, clock } = dependencies;
  const { policies, freezes, verifiedTokens, prices, knownPrices } = dependencies;
  const liquidityMints = new LiquidityMints(chain);
  const pricing = {
    transfers: new PriceTransfer(chain, prices, liquidityMints),
    swaps: new PriceSwap(chain, prices, liquidityMints),
    escrows: new PriceEscrow(prices),
    liquidity: new PriceLiquidity(chain, prices),
  };
  const price = new PriceRequest(new PriceIntent(pricing, terms), policies, verifiedTokens, dependencies.tokens);
  const explain = new ExplainDenial(chain, dependencies.chainLag, clock);
  const seek = new SeekApproval(reservations, operationApprovals, ownerConsole, terms.swaps);
  return {
    policies,
    freezes,
    knownPrices,
    getting: new GetPolicy(policies),
    updating: new UpdatePolicy(policies),
    usage: new GetUsage(reservations, dependencies.tokens),
    authorizing: new Authorize(price, seek, recoveries, { explain, issue: new IssuePermit(permits, clock) }),
    dryRun: new DryRun(price, reservations, explain),
    checkingSpending: new CheckSpending(reservations),
    settling: new Settle(reservations, dependencies.outcomes),
    freezing: new SetFreeze(freezes),
  };
}

/** Use cases of owners, and the stores that callers read directly. */
export type OwnerUseCases = ReturnType<typeof ownerUseCases>;

/** Creates the use cases of owners. */
export function ownerUseCases({ owners, approvals, operationApprovals, freezes, ownerConsole }: PolicyDependencies) {
  return {
    owners,
    approvals,
    challenging: new CreatePasskeyChallenge(owners, ownerConsole),
    adding: new AddPasskey(owners, approvals, ownerConsole),
    removing: new RemovePasskey(approvals, ownerConsole),
    startingLogin: new CreateLoginChallenge(owners, ownerConsole),
    verifying: new VerifyLogin(owners, ownerConsole),
    claiming: new RequestClaim(approvals, ownerConsole),
    proposing: new ProposePolicyChange(approvals, ownerConsole),
    getting: new GetApproval(approvals),
    listing: new ListApprovals(approvals),
    voting: new Vote(approvals, owners, ownerConsole),
    choosing: new ChooseTrust(approvals, ownerConsole),
    closing: new CloseApproval(approvals, ownerConsole),
    gettingAgent: new GetAgent(owners),
    forgetting: new ForgetRecipient(owners, ownerConsole),
    freezing: new FreezeAgent(freezes, ownerConsole),
    unfreezing: new RequestUnfreeze(approvals, ownerConsole),
    tightening: new TightenPolicy(owners, ownerConsole),
    states: new GetApprovalStates(operationApprovals),
    voiding: new VoidOperations(operationApprovals),
    changingMembers: new RequestMember(approvals, ownerConsole),
    openingToken: new RequestToken(approvals, ownerConsole),
    overruling: new OverruleOwners(approvals, ownerConsole),
    confirming: new ConfirmRecovery(approvals, ownerConsole),
  };
}

/** Use cases of scoped tokens, and the store that callers read directly. */
export type TokenUseCases = ReturnType<typeof tokenUseCases>;

/** Creates the use cases of scoped tokens. */
export function tokenUseCases({ tokens }: PolicyDependencies) {
  return { tokens, opening: new OpenToken(tokens), ending: new EndToken(tokens), binding: new BindOperation(tokens) };
}

/** Use cases of recoveries, and the store that callers read directly. */
export type RecoveryUseCases = ReturnType<typeof recoveryUseCases>;

/** Creates the use cases of recoveries. */
export function recoveryUseCases({ recoveries, chain, clock, terms }: PolicyDependencies) {
  const operators = [terms.sponsorAddress, terms.treasuryAddress].filter((address) => address !== undefined);
  return {
    recoveries,
    getting: new GetRecovery(recoveries, chain),
    reporting: new ReportWallets(recoveries, operators),
    starting: new StartRecovery(recoveries, clock),
    releasing: new UnfreezeTreasury(recoveries),
  };
}
