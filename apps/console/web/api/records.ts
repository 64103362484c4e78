import type { components } from './schema.js';

type Schemas = components['schemas'];

export type Approval = Schemas['Approval'] & Partial<ApprovalFacts>;
export type Owner = Schemas['OwnerResult'];
export type OwnedAgent = Schemas['OwnedAgent'];
export type Policy = Schemas['Policy'];
export type PolicyResult = Schemas['PolicyResult'];
export type PolicyChanges = Schemas['PolicyChanges'];
export type Balances = Schemas['Balances'];
export type Session = Schemas['Session'];
export type LiquidityPositions = Schemas['LiquidityPositions'];
export type PredictionPositions = Schemas['PositionsResult'];
export type PredictionBalance = Schemas['PredictionBalance'];
export type Transaction = Schemas['Transaction'];
export type TransactionPage = Schemas['TransactionPage'];

/** Facts of an approval beside its document. They help to list it; nobody signs them. */
interface ApprovalFacts {
  readonly reasons: readonly string[];
  readonly transactionId: string | null;
  readonly about: unknown;
}

/** A freeze that is in force. */
export interface Freeze {
  readonly source: 'owner' | 'operator';
  readonly reason: string | null;
  readonly since: string;
}

/** Details of an owned agent. */
export interface AgentDetails {
  readonly agent: OwnedAgent;
  readonly freezes: Freeze[];
  readonly policy: PolicyResult;
}

/** A value that counts against the daily limit until it leaves the window. */
export interface CountedValue {
  readonly at: string;
  readonly leavesAt: string;
  readonly usd: number;
  readonly state: 'settled' | 'reserved';
}

export type Usage = Schemas['PolicyUsage'] & { readonly window: CountedValue[] };

/** A recipient that an agent has paid, or that its policy lists. */
export interface Recipient {
  readonly address: string;
  readonly firstPaidAt: string | null;
  readonly knownAt: string | null;
}
