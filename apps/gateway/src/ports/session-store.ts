import type { Session } from '../domain/session.js';
import type { Eviction } from './eviction-reports.js';
import type { ClaimedOtp } from './otp-store.js';

/** An agent, by its owner's e-mail address. */
export interface Agent {
  readonly id: string;
  readonly email: string;
  /** Address of its wallet; undefined until it is made. */
  readonly address?: string | undefined;
  /** The owner whom its first login named: the only one who can claim it. */
  readonly namedOwnerId?: string | undefined;
}

/** An operator's or an owner's part in an action, for the audit log. */
export interface OperatorNote {
  /** Name of the operator or owner. */
  readonly operator: string;
  /** Reason for the action. */
  readonly reason: string;
}

/** All sessions of an agent that ended, and what is to be reported of it. */
export interface Evicted {
  /** Number of sessions that ended. */
  readonly ended: number;
  readonly eviction: Eviction;
}

/** Agents and their sessions. A class, so that it is its own injection token. */
export abstract class SessionStore {
  /** Returns the agent of an e-mail address, which is created, with the owner that the code's login names, when there is none. */
  abstract agentOfLogin(login: { readonly email: string; readonly otpId: string }): Promise<Agent>;
  abstract findByEmail(email: string): Promise<Agent | undefined>;
  abstract agentById(agentId: string): Promise<Agent | undefined>;
  abstract rememberAddress(agentId: string, address: string): Promise<void>;
  /**
   * Uses up a claimed code and opens the session it buys, in one step; undefined when the claim was lost.
   * `firstLogin` is true once in an agent's life.
   */
  abstract openWithOtp(session: Session, otp: ClaimedOtp): Promise<{ readonly firstLogin: boolean } | undefined>;
  /**
   * Returns a session of an agent, which may have ended; undefined when it is unknown or was deleted some time after
   * its end.
   */
  abstract find(sessionId: string, agentId: string): Promise<Session | undefined>;
  /** Returns which of these sessions still stand. */
  abstract standing(sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the live sessions of an agent, those of the newest login first; at most so many. */
  abstract list(agentId: string, atMost: number): Promise<Session[]>;
  /** Ends a session and opens its successor, in one step; false when the old one had ended already. */
  abstract replace(oldSessionId: string, session: Session): Promise<boolean>;
  /** Ends what stands of a session's family, and the sessions of scoped tokens that it has made; false when it had ended already. */
  abstract end(sessionId: string, agentId: string): Promise<boolean>;
  /** Returns the live scoped tokens that the family of a session has made. */
  abstract tokensOf(session: Session): Promise<string[]>;
  /** Opens the session of a scoped token; false when the agent's session that opens it has ended meanwhile. */
  abstract openToken(session: Session, openedBy?: Session): Promise<boolean>;
  /** Ends the sessions of a scoped token. */
  abstract endToken(tokenId: string, agentId: string): Promise<void>;
  /**
   * Ends a session's family because a replaced token came again, which enters the audit log. Other families stay, but
   * the agent's waiting operations are to become void. Undefined when this family had ended already.
   */
  abstract endReused(sessionId: string, agentId: string): Promise<Eviction | undefined>;
  /**
   * Uses up a claimed code and ends the sessions of the agent of its address, in one step: those, too, that a refresh is
   * about to open. Undefined when the claim was lost or the address has no agent.
   */
  abstract evictWithOtp(otp: ClaimedOtp): Promise<Evicted | undefined>;
  /** Ends the sessions of an agent: those, too, that a refresh is about to open. */
  abstract endAll(agentId: string, note: OperatorNote): Promise<Evicted>;
  /** Ends the sessions of every agent, likewise. Answers how many it were. */
  abstract endEverything(note: OperatorNote): Promise<bigint>;
}
