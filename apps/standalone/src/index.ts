export type {
  AdditionResult,
  Envelope,
  HistoryRecord,
  RemovalResult,
  TradeData,
  TransferData,
} from './client/api-bodies.js';
export {
  type AddOrder,
  AgentClient,
  type RemoveOrder,
  type TradeOrder,
  type TransferOrder,
} from './client/agent-client.js';
export type { ClientResponse } from './client/client-response.js';
export type { BuyResult, Position, Repeated, SellResult, WithdrawResult } from './client/prediction-bodies.js';
export { type ContractOrder, PredictionClient } from './client/prediction-client.js';
export { callJson, type JsonResponse } from './client/http-json.js';
export { isLastWord } from './client/last-word.js';
export {
  type Fault,
  type LandedTransaction,
  type LiquidityPool,
  type NewMarket,
  SandboxClient,
} from './client/sandbox-client.js';
export { type StandaloneSettings, standaloneSettings } from './settings.js';
export { type RunningStandalone, startStandalone } from './start-standalone.js';
export { curlWalkthrough, walkthrough } from './walkthrough.js';
