import type {
  AgentDetails,
  Balances,
  LiquidityPositions,
  PredictionBalance,
  PredictionPositions,
  Recipient,
  Session,
  Transaction,
  TransactionPage,
  Usage,
} from './records.js';

type Get<Data, Path, Query = never> = {
  parameters: { query?: never; header?: never; path?: never; cookie?: never };
  get: {
    parameters: { query?: Query; header?: never; path: Path; cookie?: never };
    requestBody?: never;
    responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { data: Data } } } };
  };
};
type OfAgent = { agentId: string };

/** Reads of an owner's agent. Shapes are those of the agent's own routes. */
export interface OwnedPaths {
  '/owner/agents/{agentId}': Get<AgentDetails, OfAgent>;
  '/owner/agents/{agentId}/balances': Get<Balances, OfAgent>;
  '/owner/agents/{agentId}/usage': Get<Usage, OfAgent>;
  '/owner/agents/{agentId}/history': Get<
    TransactionPage,
    OfAgent,
    { limit?: number; cursor?: string; action?: string }
  >;
  '/owner/agents/{agentId}/history/{transactionId}': Get<
    { transaction: Transaction },
    OfAgent & { transactionId: string }
  >;
  '/owner/agents/{agentId}/sessions': Get<{ sessions: Session[] }, OfAgent>;
  '/owner/agents/{agentId}/liquidity/positions': Get<LiquidityPositions, OfAgent>;
  '/owner/agents/{agentId}/predictions/positions': Get<PredictionPositions, OfAgent>;
  '/owner/agents/{agentId}/predictions/balance': Get<PredictionBalance, OfAgent>;
  '/owner/agents/{agentId}/recipients': Get<{ recipients: Recipient[] }, OfAgent>;
}
