import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import {
  assertCaller,
  type AuthenticatedCall,
  type CallerLists,
  namesOf,
  type ServiceName,
} from '@agent-wallet/platform';

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

/** The only caller that may request permits for each action: the service that carries it out. */
const CALLER_BY_KIND: Readonly<Record<ActionKind, ServiceName>> = {
  transfer: 'wallet',
  unwrap: 'wallet',
  escrow: 'wallet',
  payout: 'wallet',
  swap: 'swap',
  liquidityAdd: 'swap',
  liquidityRemove: 'swap',
};

/**
 * Rejects an intent for an action of another service: its method's list alone would give the certificate of one service
 * the powers of another. An intent without an action is rejected where it is read.
 * @throws AppError CALLER_NOT_ALLOWED
 */
export function assertKindOf(intent: intentV1.Intent | undefined, call: AuthenticatedCall | undefined): void {
  const kind = intent?.action?.$case;
  if (kind === undefined) return;
  assertCaller([CALLER_BY_KIND[kind]], namesOf(call?.getAuthContext().sslPeerCertificate));
}
