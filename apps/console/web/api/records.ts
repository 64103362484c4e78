import type { components } from '../generated/owner-api.js';

type Schemas = components['schemas'];

export type Approval = Schemas['Approval'];
export type AgentDetails = Schemas['OwnedAgentDetails'];
export type Balances = Schemas['Balances'];
export type Connection = Schemas['Connection'];
export type CountedValue = Schemas['CountedValue'];
export type LiquidityPositions = Schemas['LiquidityPositions'];
export type OwnedAgent = Schemas['OwnedAgent'];
export type Owner = Schemas['OwnerResult'];
export type OwnerSession = Schemas['OwnerSession'];
export type Policy = Schemas['Policy'];
export type PolicyChanges = Schemas['PolicyChanges'];
export type PolicyResult = Schemas['PolicyResult'];
export type PredictionBalance = Schemas['PredictionBalance'];
export type PredictionPositions = Schemas['PositionsResult'];
export type Recipient = Schemas['KnownRecipient'];
export type ScopedToken = Schemas['ScopedToken'];
export type Session = Schemas['Session'];
export type TokenRequest = Schemas['TokenRequest'];
export type TokenScope = Schemas['TokenScope'];
export type Transaction = Schemas['Transaction'];
export type TransactionPage = Schemas['TransactionPage'];
export type Usage = Schemas['OwnedUsage'];
