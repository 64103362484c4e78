import type { SignerReplicas } from '@agent-wallet/attestation/service';
import { type OperationEngine, OperationsController, OperatorDesk } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import type { UsdPrices, VerifiedTokens } from '@agent-wallet/prices';
import type { SolanaChain } from '@agent-wallet/solana';
import type { DynamicModule } from '@nestjs/common';
import { CreateWallet } from './application/create-wallet.js';
import { GetAttestation } from './application/get-attestation.js';
import { GetBalances } from './application/get-balances.js';
import { GetToken } from './application/get-token.js';
import { GetTreasury } from './application/get-treasury.js';
import { GetWallet } from './application/get-wallet.js';
import type { EarlierAttempts } from './application/earlier-attempts.js';
import type { MoveKind } from './application/move-kind.js';
import { Move } from './application/move.js';
import { PreviewMove } from './application/preview-move.js';
import { PreviewTransfer } from './application/preview-transfer.js';
import { PreviewUnwrap } from './application/preview-unwrap.js';
import type { TransferKind } from './application/transfer-kind.js';
import { Transfer } from './application/transfer.js';
import type { UnwrapKind } from './application/unwrap-kind.js';
import { Unwrap } from './application/unwrap.js';
import { WALLET_USE_CASES, type WalletUseCases } from './application/use-cases.js';
import type { Operator } from './domain/operator.js';
import { WalletController } from './grpc/wallet.controller.js';
import type { KeyMaker } from './ports/key-maker.js';
import type { PolicyCheck } from './ports/policy-check.js';
import type { Wallets } from './ports/wallets.js';

/** What the use cases work with, opened by the start. */
export interface WalletParts {
  readonly wallets: Wallets;
  readonly keys: KeyMaker;
  readonly chain: SolanaChain;
  readonly prices: UsdPrices;
  readonly tokens: VerifiedTokens;
  readonly policy: PolicyCheck;
  readonly transfers: TransferKind;
  readonly unwraps: UnwrapKind;
  readonly moves: MoveKind;
  readonly earlier: EarlierAttempts;
  readonly operator: Operator;
  readonly engine: OperationEngine;
  readonly desk: OperatorDesk;
  readonly signers: Pick<SignerReplicas, 'attest'>;
  readonly logger: Logger;
}

/** Binds the use cases to their gRPC surface. */
export class WalletModule {
  static with(parts: WalletParts): DynamicModule {
    const { wallets, chain, policy, transfers, unwraps, engine, desk, logger } = parts;
    const useCases: WalletUseCases = {
      createWallet: new CreateWallet(wallets, parts.keys),
      getWallet: new GetWallet(wallets),
      getBalances: new GetBalances(wallets, chain, parts.prices, logger),
      transfer: new Transfer(wallets, transfers, engine),
      previewTransfer: new PreviewTransfer(wallets, transfers, policy),
      unwrap: new Unwrap(wallets, unwraps, engine),
      previewUnwrap: new PreviewUnwrap(unwraps, policy),
      getToken: new GetToken(chain, parts.tokens, logger),
      move: new Move(parts.moves, parts.earlier, engine),
      previewMove: new PreviewMove(parts.moves, policy),
      getTreasury: new GetTreasury(parts.operator, chain),
      getAttestation: new GetAttestation(parts.signers),
    };
    return {
      module: WalletModule,
      controllers: [WalletController, OperationsController],
      providers: [
        { provide: WALLET_USE_CASES, useValue: useCases },
        { provide: OperatorDesk, useValue: desk },
      ],
    };
  }
}
