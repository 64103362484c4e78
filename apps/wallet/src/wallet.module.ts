import type { DynamicModule } from '@nestjs/common';
import { Move, DryRunMove } from './application/moves/move.js';
import { DryRunTransfer, Transfer } from './application/transfers/transfer.js';
import { DryRunUnwrap, Unwrap } from './application/unwraps/unwrap.js';
import { CreateWallet } from './application/wallets/create-wallet.js';
import { GetAttestation } from './application/wallets/get-attestation.js';
import { GetBalances } from './application/wallets/get-balances.js';
import { GetToken } from './application/wallets/get-token.js';
import { GetTreasury } from './application/wallets/get-treasury.js';
import { GetWallet } from './application/wallets/get-wallet.js';
import type { WalletDependencies } from './dependencies.js';
import { NETWORK, WalletController } from './grpc/wallet.controller.js';

/** Binds the use cases to their gRPC surface. */
export class WalletModule {
  static with(dependencies: WalletDependencies): DynamicModule {
    const { wallets, chain, policy, transfers, unwraps, moves, engine, logger } = dependencies;
    const useCases = [
      new CreateWallet(wallets, dependencies.keys),
      new GetWallet(wallets, dependencies.operator),
      new GetBalances(wallets, chain, dependencies.prices, logger),
      new GetToken(chain, dependencies.tokens, logger),
      new GetTreasury(dependencies.operator, chain),
      new GetAttestation(dependencies.signers),
      new Transfer(wallets, transfers, engine),
      new DryRunTransfer(wallets, transfers, policy, chain),
      new Unwrap(wallets, unwraps, engine),
      new DryRunUnwrap(unwraps, policy, chain),
      new Move(moves, dependencies.earlier, engine),
      new DryRunMove(moves, policy, chain),
    ];
    return {
      module: WalletModule,
      controllers: [WalletController],
      providers: [
        ...useCases.map((useCase) => ({ provide: useCase.constructor, useValue: useCase })),
        { provide: NETWORK, useValue: dependencies.network },
      ],
    };
  }
}
