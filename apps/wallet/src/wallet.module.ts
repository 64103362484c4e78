import { type OperationEngine, OperatorDesk } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import type { UsdPrices } from '@agent-wallet/prices';
import type { SolanaChain } from '@agent-wallet/solana';
import type { DynamicModule } from '@nestjs/common';
import { CreateWallet } from './application/create-wallet.js';
import { GetBalances } from './application/get-balances.js';
import type { TransferKind } from './application/transfer-kind.js';
import { Transfer } from './application/transfer.js';
import { WalletController } from './grpc/wallet.controller.js';
import type { KeyMaker } from './ports/key-maker.js';
import type { Wallets } from './ports/wallets.js';

/** What the use cases work with, opened by the start. */
export interface WalletParts {
  readonly wallets: Wallets;
  readonly keys: KeyMaker;
  readonly chain: SolanaChain;
  readonly prices: UsdPrices;
  readonly transfers: TransferKind;
  readonly engine: OperationEngine;
  readonly desk: OperatorDesk;
  readonly logger: Logger;
}

/** Binds the use cases to their gRPC surface. */
export class WalletModule {
  static with({ wallets, keys, chain, prices, transfers, engine, desk, logger }: WalletParts): DynamicModule {
    return {
      module: WalletModule,
      controllers: [WalletController],
      providers: [
        { provide: CreateWallet, useValue: new CreateWallet(wallets, keys) },
        { provide: GetBalances, useValue: new GetBalances(wallets, chain, prices, logger) },
        { provide: OperatorDesk, useValue: desk },
        { provide: Transfer, useValue: new Transfer(wallets, transfers, engine) },
      ],
    };
  }
}
