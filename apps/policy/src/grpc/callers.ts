import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { type AuthenticatedCall, type CallerLists, namesOf, type ServiceName } from '@agent-wallet/platform';

/** Callers allowed for each method. */
export const POLICY_CALLERS: CallerLists<typeof policyV1.PolicyServiceService> = {
  createPolicy: ['gateway'],
  getPolicy: ['gateway', 'prediction'],
  updatePolicy: ['gateway'],
  getUsage: ['gateway', 'wallet', 'swap', 'prediction'],
  authorize: ['wallet', 'swap'],
  dryRunAuthorize: ['wallet', 'swap'],
  checkSpending: ['wallet', 'swap', 'prediction'],
  settle: ['wallet', 'swap'],
  getPrices: ['wallet', 'swap', 'prediction'],
  setFreeze: ['ops'],
  listFreezes: ['ops'],
};

/** Callers allowed for each method on scoped tokens. */
export const TOKEN_CALLERS: CallerLists<typeof policyV1.TokenServiceService> = {
  openToken: ['gateway'],
  endToken: ['gateway'],
  listTokens: ['gateway'],
  bindOperation: ['gateway'],
};

/** Callers allowed for each method on recoveries. */
export const RECOVERY_CALLERS: CallerLists<typeof policyV1.RecoveryServiceService> = {
  getRecovery: ['wallet', 'swap', 'prediction', 'ops'],
  reportWallets: ['wallet'],
  startRecovery: ['ops'],
  listRecovered: ['ops'],
  unfreezeTreasury: ['ops'],
};

/** Callers allowed for each method on owners. */
export const OWNER_CALLERS: CallerLists<typeof policyV1.OwnerServiceService> = {
  createPasskeyChallenge: ['gateway'],
  addPasskey: ['gateway'],
  removePasskey: ['gateway'],
  listPasskeys: ['gateway'],
  createLoginChallenge: ['gateway'],
  verifyLogin: ['gateway'],
  requestApproval: ['gateway'],
  getApproval: ['gateway'],
  listApprovals: ['gateway'],
  vote: ['gateway'],
  overruleOwners: ['ops'],
  confirmRecovery: ['ops'],
  chooseTrust: ['gateway'],
  closeApproval: ['gateway'],
  cancelClaims: ['gateway'],
  tightenPolicy: ['gateway'],
  freezeAgent: ['gateway'],
  forgetRecipient: ['gateway'],
  voidOperations: ['gateway'],
  listAgents: ['gateway'],
  getAgent: ['gateway'],
  getApprovalStates: ['wallet', 'swap', 'prediction'],
};

type ActionKind = NonNullable<intentV1.Intent['action']>['$case'];

/** Actions that each caller may request permits for: only those that it carries out itself. */
const KINDS: Partial<Record<ServiceName, readonly ActionKind[]>> = {
  wallet: ['transfer', 'unwrap', 'escrow', 'payout'],
  swap: ['swap', 'liquidityAdd', 'liquidityRemove'],
};

/**
 * Refuses an intent that is not the caller's business: who holds the certificate of one service has not those powers
 * of another that its method lists alone would give. An intent without an action is refused where it is read.
 * @throws AppError CALLER_NOT_ALLOWED
 */
export function assertKindOf(intent: intentV1.Intent | undefined, call: AuthenticatedCall | undefined): void {
  const kind = intent?.action?.$case;
  if (kind === undefined) return;
  const names = namesOf(call?.getAuthContext().sslPeerCertificate) as ServiceName[];
  if (!names.some((name) => KINDS[name]?.includes(kind))) throw new AppError('CALLER_NOT_ALLOWED');
}
