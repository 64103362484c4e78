export type { Envelope, HistoryRecord, TradeData, TransferData } from './client/api-bodies.js';
export { AgentClient, type ApiAnswer, type TradeOrder, type TransferOrder } from './client/agent-client.js';
export { callJson, type JsonAnswer } from './client/http-json.js';
export { type Fault, type LandedTransaction, SandboxClient } from './client/sandbox-client.js';
export { type StandaloneSettings, standaloneSettings } from './settings.js';
export { type RunningStandalone, startStandalone } from './start-standalone.js';
export { Deployment, type DeploymentOptions } from './processes/deployment.js';
export { walkthrough } from './walkthrough.js';
