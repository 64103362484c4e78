import type { Clock, Part } from '@agent-wallet/kernel';
import type { DecideConnection } from '../application/connections/decide-connection.js';
import type { ChangeStreams } from '../application/changes/change-streams.js';
import type { CompleteLogin } from '../application/connect/complete-login.js';
import type { EndSession } from '../application/connect/end-session.js';
import type { EvictSessions } from '../application/connect/evict-sessions.js';
import type { RefreshSession } from '../application/connect/refresh-session.js';
import type { StartLogin } from '../application/connect/start-login.js';
import type { ExplorerUrl } from '../application/operations/operation.js';
import type { ReadTransaction } from '../application/operations/read-transaction.js';
import type { RunOperation } from '../application/operations/run-operation.js';
import type { ClaimAgent } from '../application/owners/claim-agent.js';
import type { OwnerSessions } from '../application/owners/owner-sessions.js';
import type { LogInOwner } from '../application/owners/log-in-owner.js';
import type { ManageMembers } from '../application/owners/manage-members.js';
import type { ManageOwnedAgent } from '../application/owners/manage-owned-agent.js';
import type { RegisterPasskey } from '../application/owners/register-passkey.js';
import type { ManageTokens } from '../application/tokens/manage-tokens.js';
import type { VoteOnApproval } from '../application/owners/vote-on-approval.js';
import type { ExactJson } from '../application/responses/exact-json.js';
import type { OwnersService } from '../ports/owners-service.js';
import type {
  CatalogService,
  HistoryService,
  PolicyService,
  PredictionService,
  SwapService,
  WalletService,
} from '../ports/services.js';
import type { SessionStore } from '../ports/session-store.js';
import type { TokenKeys } from '../ports/tokens.js';
import type { PlainResponse } from './response.js';

/** Services and use cases that handlers of routes call. */
export interface ApiServices {
  readonly clock: Clock;
  /** Parts that this deployment has. */
  readonly parts: readonly Part[];
  readonly services: {
    readonly wallet: WalletService;
    readonly swap: SwapService;
    readonly prediction: PredictionService;
    readonly catalog: CatalogService;
    readonly policy: PolicyService;
    readonly history: HistoryService;
    readonly owners: OwnersService;
  };
  readonly explorerUrl: ExplorerUrl;
  readonly runOperation: RunOperation;
  readonly readTransaction: ReadTransaction;
  readonly sessions: SessionStore;
  readonly startLogin: StartLogin;
  readonly completeLogin: CompleteLogin;
  readonly refreshSession: RefreshSession;
  readonly endSession: EndSession;
  readonly evictSessions: EvictSessions;
  readonly logInOwner: LogInOwner;
  readonly ownerSessions: OwnerSessions;
  readonly registerPasskey: RegisterPasskey;
  readonly claimAgent: ClaimAgent;
  readonly voteOnApproval: VoteOnApproval;
  readonly manageOwnedAgent: ManageOwnedAgent;
  readonly manageMembers: ManageMembers;
  readonly manageTokens: ManageTokens;
  readonly decideConnection: DecideConnection;
  readonly changeStreams: ChangeStreams;
  readonly tokenKeys: TokenKeys;
  readonly documents: ServedDocuments;
  readonly readiness: { check(): Promise<void> };
}

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The documents of the service. @throws AppError SERVICE_UNAVAILABLE before it listens */
interface ServedDocuments {
  /** Returns what the service is and where its documents are. */
  service(): { readonly documents: { readonly docs: string } } & { readonly [name: string]: ExactJson };
  /** Serves a document in the encoding that the request prefers, or says that it has not changed. */
  serve(name: 'skill' | 'llms' | 'openapi' | 'ownerOpenapi' | 'docs', headers: RequestHeaders): Promise<PlainResponse>;
  /** Serves the script of the reference page likewise. @throws AppError NOT_FOUND for another name than its own */
  serveDocsScript(name: string, headers: RequestHeaders): Promise<PlainResponse>;
}
