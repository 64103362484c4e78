export {
  type AddOrder,
  AgentClient,
  type RemoveOrder,
  type TradeOrder,
  type TransferOrder,
} from './client/agent-client.js';
export type {
  AdditionResult,
  BuyResult,
  ClientResponse,
  Envelope,
  HistoryRecord,
  RemovalResult,
  Repeated,
  SellResult,
  TradeData,
  TransferData,
} from './client/responses.js';
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
