import { OPERATOR_DESK, type OperationEngine, OperationsController, type OperatorDesk } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import type { DynamicModule } from '@nestjs/common';
import { type Bookkeeping, BOOKKEEPING } from './application/books/bookkeeping.js';
import { Buy } from './application/buy/buy.js';
import { Catalog, CATALOG } from './application/catalog/catalog.js';
import type { OperationKinds } from './application/operations/open-operations.js';
import { PreviewOrder } from './application/previews/preview-order.js';
import { ReadMoney } from './application/read/read-money.js';
import { Sell } from './application/sell/sell.js';
import { PREDICTION_USE_CASES, type PredictionUseCases } from './application/use-cases.js';
import { Withdraw } from './application/withdraw/withdraw.js';
import { BooksController } from './grpc/books.controller.js';
import { CatalogController } from './grpc/catalog.controller.js';
import { PredictionController } from './grpc/prediction.controller.js';
import type { Books } from './ports/books.js';
import type { CatalogSource } from './ports/catalog.js';
import type { PolicySwitch } from './ports/policy-switch.js';
import type { Wallet } from './ports/wallet.js';

/** What the use cases work with, opened by the start. */
export interface PredictionModuleParts {
  readonly kinds: OperationKinds;
  readonly engine: OperationEngine;
  readonly desk: OperatorDesk;
  readonly books: Books;
  readonly bookkeeping: Bookkeeping;
  readonly catalog: CatalogSource;
  readonly policies: PolicySwitch;
  readonly wallet: Wallet;
  readonly logger: Logger;
}

/** Binds the use cases to their gRPC surface. */
export class PredictionModule {
  static with(parts: PredictionModuleParts): DynamicModule {
    const { kinds, engine, desk, books, bookkeeping, catalog, policies, wallet, logger } = parts;
    const { buys, sales, withdrawals, planBuy, planSell } = kinds;
    const useCases: PredictionUseCases = {
      buy: new Buy(buys, engine),
      sell: new Sell(sales, engine),
      withdraw: new Withdraw(withdrawals, engine, books, logger),
      previewOrder: new PreviewOrder({ planBuy, planSell, wallet, policies }),
      readMoney: new ReadMoney({ books, catalog, policies }),
    };
    return {
      module: PredictionModule,
      controllers: [PredictionController, CatalogController, BooksController, OperationsController],
      providers: [
        { provide: PREDICTION_USE_CASES, useValue: useCases },
        { provide: CATALOG, useValue: new Catalog(catalog, policies) },
        { provide: BOOKKEEPING, useValue: bookkeeping },
        { provide: OPERATOR_DESK, useValue: desk },
      ],
    };
  }
}
