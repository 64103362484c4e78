import type { policyV1 } from '@agent-wallet/contracts';

/** The caller who reads or closes an approval. */
type ApprovalViewer = NonNullable<policyV1.GetApprovalRequest['viewer']>;

/** A page of approvals. */
export interface ApprovalQuery {
  readonly state: policyV1.ApprovalState;
  readonly cursor: string;
  readonly limit: number;
}

/** A change of a policy that is proposed, or made by an owner. */
export type ProposedChange = policyV1.PolicyChangeRequest;

/** The policy service's part of owners. A class, so that it is its own injection token. Every method throws AppError. */
export abstract class OwnersService {
  abstract passkeyChallenge(ownerId: string): Promise<policyV1.CreatePasskeyChallengeResponse>;
  /** Requests the approval that adds a passkey; undefined when it was the first and is stored. */
  abstract addPasskey(ownerId: string, registrationJson: string): Promise<policyV1.Approval | undefined>;
  /** Requests that a passkey replaces those that an owner has lost. */
  abstract recover(ownerId: string, registrationJson: string): Promise<policyV1.Approval>;
  abstract removePasskey(ownerId: string, credentialId: Buffer): Promise<policyV1.Approval>;
  abstract passkeys(ownerId: string): Promise<policyV1.Passkey[]>;
  abstract loginChallenge(): Promise<policyV1.CreateLoginChallengeResponse>;
  /** Returns the owner whose passkey signed a login's document. */
  abstract verifyLogin(login: policyV1.VerifyLoginRequest): Promise<string>;
  abstract request(request: NonNullable<policyV1.RequestApprovalRequest['request']>): Promise<policyV1.Approval>;
  abstract approval(approvalId: string, viewer: ApprovalViewer): Promise<policyV1.Approval>;
  abstract approvals(viewer: ApprovalViewer, query: ApprovalQuery): Promise<policyV1.ListApprovalsResponse>;
  abstract vote(vote: policyV1.VoteRequest): Promise<policyV1.Approval>;
  abstract close(approvalId: string, by: ApprovalViewer): Promise<policyV1.Approval>;
  /** Returns a pending payment's approval with a document that says another trust. */
  abstract chooseTrust(choice: policyV1.ChooseTrustRequest): Promise<policyV1.Approval>;
  /** Forgets a recipient, and returns whether that changed anything. */
  abstract forgetRecipient(request: policyV1.ForgetRecipientRequest): Promise<boolean>;
  /** Cancels an agent's claims that are not in effect yet. @returns how many */
  abstract cancelClaims(agentId: string): Promise<number>;
  /** Voids what an agent asked for before a time and waits for, and ends scoped tokens. @returns how many operations */
  abstract voidOperations(agentId: string, askedBeforeMs: number, endedTokenIds: readonly string[]): Promise<number>;
  abstract agents(ownerId: string): Promise<policyV1.OwnedAgent[]>;
  /** Reads an agent of an owner. @throws AppError NOT_FOUND for an agent of others */
  abstract agent(ownerId: string, agentId: string): Promise<policyV1.GetAgentResponse>;
  /** Freezes an agent, and returns whether that changed anything. */
  abstract freeze(agentId: string, ownerId: string): Promise<boolean>;
  /** Returns the policy after a change that only tightens it. */
  abstract tighten(change: ProposedChange): Promise<policyV1.Policy>;
}
