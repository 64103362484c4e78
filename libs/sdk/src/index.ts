export type { components, ErrorDataByCode, operations, paths } from './generated/api.js';
export type { Amount } from './amounts.js';
export {
  ApiError,
  type ErrorData,
  ExpiredKeyError,
  FaucetError,
  isApiError,
  type KnownCode,
  NoAnswerError,
  type OpenOperation,
  OutcomeUnknownError,
  StillOpenError,
} from './errors.js';
export type { Change, FollowOptions, StreamEvent } from './event-stream.js';
export type { FaucetOrder, Poured } from './faucet.js';
export { type KeyStore, MemoryStore, type PendingRequest, WebStore, type WebStorage } from './keys.js';
export { completeLogin, type LoggedIn, logIn, startLogin, type StartedLogin } from './login.js';
export { type Accepted, type AcceptedData, newKey, type OperationOptions } from './operations.js';
export { type Page, Pages } from './pages.js';
export type { TransportOptions } from './transport.js';
export {
  type AddOrder,
  AgentWallet,
  type BuyOrder,
  type ReadPath,
  type RemoveOrder,
  type SellOrder,
  type TokenGrant,
  type TradeOrder,
  type TransferOrder,
  type UnwrapOrder,
  type WalletOptions,
} from './wallet.js';
