import type { DynamicModule } from '@nestjs/common';
import { LedgerAdministration } from './application/ledger/ledger-administration.js';
import { Buy } from './application/buy/buy.js';
import { Catalog } from './application/catalog/catalog.js';
import { DryRunOrder } from './application/dry-runs/dry-run-order.js';
import { ReadMoney } from './application/read/read-money.js';
import { Sell } from './application/sell/sell.js';
import { Withdraw } from './application/withdraw/withdraw.js';
import type { PredictionDependencies } from './dependencies.js';
import { LedgerController } from './grpc/ledger.controller.js';
import { CatalogController } from './grpc/catalog.controller.js';
import { PredictionController } from './grpc/prediction.controller.js';

/** Binds the use cases to their gRPC surface. */
export class PredictionModule {
  static with(dependencies: PredictionDependencies): DynamicModule {
    const { sagas, engine, ledger, ledgerAdministration, catalog, policies, wallet, logger } = dependencies;
    const { buys, sales, withdrawals, planBuy, planSell } = sagas;
    return {
      module: PredictionModule,
      controllers: [PredictionController, CatalogController, LedgerController],
      providers: [
        { provide: Buy, useValue: new Buy(buys, engine) },
        { provide: Sell, useValue: new Sell(sales, engine) },
        { provide: Withdraw, useValue: new Withdraw(withdrawals, engine, ledger, logger) },
        { provide: DryRunOrder, useValue: new DryRunOrder({ planBuy, planSell, wallet, policies }) },
        { provide: ReadMoney, useValue: new ReadMoney({ ledger, catalog, policies }) },
        { provide: Catalog, useValue: new Catalog(catalog, policies) },
        { provide: LedgerAdministration, useValue: ledgerAdministration },
      ],
    };
  }
}
