import { AppError, isUuid } from '@agent-wallet/kernel';
import { Controller, Inject } from '@nestjs/common';
import { balancesAnswer } from '../../application/answers/balances-answer.js';
import { textNumber } from '../../application/answers/exact-json.js';
import { proofAnswer } from '../../application/answers/proof-answer.js';
import { tokenAnswer } from '../../application/answers/token-answer.js';
import { transactionAnswer } from '../../application/answers/transaction-answer.js';
import type { ReadTransaction } from '../../application/read/read-transaction.js';
import type { HistoryService } from '../../ports/history-service.js';
import type { WalletService } from '../../ports/wallet-service.js';
import type { Bearer } from '../bearer-token.js';
import { proofRoute } from '../contract/proof-route.js';
import type { InputOf } from '../contract/route.js';
import { balancesRoute, historyRoute, tokenRoute, transactionRoute } from '../contract/wallet-routes.js';
import type { Answer } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** What may name a token: the wallet service is not asked for anything else. */
const TOKEN_QUERY = /^[^\p{C}]{1,64}$/u;

/** What the wallet holds, what it did, and what it could hold. */
@Controller()
export class WalletController {
  constructor(
    @Inject(TOKENS.wallet) private readonly wallet: WalletService,
    @Inject(TOKENS.history) private readonly history: HistoryService,
    @Inject(TOKENS.readTransaction) private readonly transactions: ReadTransaction,
  ) {}

  @Serves(balancesRoute)
  async balances(@Input() _input: InputOf<typeof balancesRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    return { message: 'Balances.', data: balancesAnswer(await this.wallet.balances(agentId)) };
  }

  @Serves(historyRoute)
  async list(@Input() { query }: InputOf<typeof historyRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { limit, offset, action = '' } = query;
    const { transactions, total } = await this.history.list({ agentId, limit, offset, action });
    const hasMore = BigInt(offset + transactions.length) < total;
    const pagination = { total: textNumber(total.toString()), limit, offset, hasMore };
    return { message: 'Transactions.', data: { transactions: transactions.map(transactionAnswer), pagination } };
  }

  @Serves(proofRoute)
  async proof(@Input() { query }: InputOf<typeof proofRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { after = '', limit } = query;
    const proof = await this.history.prove({ agentId, afterEventId: after.toLowerCase(), limit });
    return { message: 'Events of this wallet.', data: proofAnswer(agentId, proof) };
  }

  @Serves(transactionRoute)
  async one(@Input() { params }: InputOf<typeof transactionRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const id = params.transactionId.toLowerCase();
    if (!isUuid(id)) throw new AppError('NOT_FOUND', { message: 'There is no transaction of this id.' });
    return { message: 'Transaction.', data: { transaction: await this.transactions.read(agentId, id) } };
  }

  @Serves(tokenRoute)
  async token(@Input() { params }: InputOf<typeof tokenRoute>): Promise<Answer> {
    const token = TOKEN_QUERY.test(params.query) ? await this.wallet.token(params.query) : undefined;
    if (!token) throw new AppError('NOT_FOUND', { message: 'There is no token of this name.' });
    return { message: 'Token.', data: tokenAnswer(token) };
  }
}
