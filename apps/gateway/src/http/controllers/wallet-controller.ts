import { historyV1 } from '@agent-wallet/contracts';
import { AppError, isUuid, notFound } from '@agent-wallet/kernel';
import { Controller, Inject } from '@nestjs/common';
import { textNumber } from '../../application/responses/exact-json.js';
import { proofResponse } from '../../application/responses/proof-response.js';
import { balancesResponse, tokenResponse } from '../../application/responses/wallet-response.js';
import { ReadTransaction } from '../../application/operations/read-transaction.js';
import { HistoryService, WalletService } from '../../ports/services.js';
import type { Bearer } from '../bearer-token.js';
import { proofRoute } from '../contract/proof-route.js';
import type { InputOf } from '../contract/route.js';
import { historyRoute, transactionRoute } from '../contract/history-routes.js';
import { balancesRoute, tokenRoute } from '../contract/wallet-routes.js';
import type { HandlerResponse } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';

/** What may name a token: the wallet service is not asked for anything else. */
const TOKEN_QUERY = /^[^\p{C}]{1,64}$/u;

const ORDERS = {
  created: historyV1.TransactionOrder.TRANSACTION_ORDER_UNSPECIFIED,
  recorded: historyV1.TransactionOrder.TRANSACTION_ORDER_RECORDED,
} as const;

/** What the wallet holds, what it did, and what it could hold. */
@Controller()
export class WalletController {
  constructor(
    @Inject(WalletService) private readonly wallet: WalletService,
    @Inject(HistoryService) private readonly history: HistoryService,
    @Inject(ReadTransaction) private readonly transactions: ReadTransaction,
  ) {}

  @Serves(balancesRoute)
  async balances(@Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    return { message: 'Balances.', data: balancesResponse(await this.wallet.balances(agentId)) };
  }

  @Serves(historyRoute)
  async list(
    @Input() { query }: InputOf<typeof historyRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { limit, offset, cursor, order, action = '' } = query;
    if (offset > 0 && (cursor !== '' || order === 'recorded')) {
      throw AppError.field('offset', 'cannot be combined with cursor or order=recorded. Omit it.');
    }
    const page = await this.history.list({ agentId, limit, offset, action, cursor, order: ORDERS[order ?? 'created'] });
    const pagination = { total: textNumber(page.total.toString()), limit, offset, hasMore: page.hasMore };
    const transactions = page.transactions.map((record) => this.transactions.show(record));
    return { message: 'Transactions.', data: { transactions, pagination, nextCursor: page.nextCursor || null } };
  }

  @Serves(proofRoute)
  async proof(@Input() { query }: InputOf<typeof proofRoute>, @Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    const { after = '', limit } = query;
    const proof = await this.history.prove({ agentId, afterEventId: after.toLowerCase(), limit });
    return { message: 'Events of this wallet.', data: proofResponse(agentId, proof) };
  }

  @Serves(transactionRoute)
  async one(
    @Input() { params }: InputOf<typeof transactionRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const id = params.transactionId.toLowerCase();
    if (!isUuid(id)) throw notFound('transaction', 'Check its id.');
    return { message: 'Transaction.', data: { transaction: await this.transactions.read(agentId, id) } };
  }

  @Serves(tokenRoute)
  async token(@Input() { params }: InputOf<typeof tokenRoute>): Promise<HandlerResponse> {
    const token = TOKEN_QUERY.test(params.query) ? await this.wallet.token(params.query) : undefined;
    if (!token) throw notFound('token', 'Use a symbol or a mint address.');
    return { message: 'Token.', data: tokenResponse(token) };
  }
}
