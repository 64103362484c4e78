import { OperationsController, OperatorDesk } from '@agent-wallet/operations';
import type { DynamicModule } from '@nestjs/common';
import { Bookkeeping } from './application/ledger/bookkeeping.js';
import { Buy } from './application/buy/buy.js';
import { Catalog } from './application/catalog/catalog.js';
import { PreviewOrder } from './application/previews/preview-order.js';
import { ReadMoney } from './application/read/read-money.js';
import { Sell } from './application/sell/sell.js';
import { Withdraw } from './application/withdraw/withdraw.js';
import type { PredictionDependencies } from './dependencies.js';
import { BooksController } from './grpc/books.controller.js';
import { CatalogController } from './grpc/catalog.controller.js';
import { PredictionController } from './grpc/prediction.controller.js';

/** Binds the use cases to their gRPC surface. */
export class PredictionModule {
  static with(dependencies: PredictionDependencies): DynamicModule {
    const { sagas, engine, desk, books, bookkeeping, catalog, policies, wallet, logger } = dependencies;
    const { buys, sales, withdrawals, planBuy, planSell } = sagas;
    return {
      module: PredictionModule,
      controllers: [PredictionController, CatalogController, BooksController, OperationsController],
      providers: [
        { provide: Buy, useValue: new Buy(buys, engine) },
        { provide: Sell, useValue: new Sell(sales, engine) },
        { provide: Withdraw, useValue: new Withdraw(withdrawals, engine, books, logger) },
        { provide: PreviewOrder, useValue: new PreviewOrder({ planBuy, planSell, wallet, policies }) },
        { provide: ReadMoney, useValue: new ReadMoney({ books, catalog, policies }) },
        { provide: Catalog, useValue: new Catalog(catalog, policies) },
        { provide: Bookkeeping, useValue: bookkeeping },
        { provide: OperatorDesk, useValue: desk },
      ],
    };
  }
}
