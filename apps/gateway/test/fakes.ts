import { historyV1, policyV1, walletV1 } from '@agent-wallet/contracts';
import {
  createLogger,
  loadTls,
  type RunningGrpcService,
  startGrpcService,
  type TlsPaths,
} from '@agent-wallet/platform';
import { AppError } from '@agent-wallet/kernel';
import { Controller, Inject, Module } from '@nestjs/common';

/** What the fake services do; tests replace methods. */
export interface Script {
  wallet: walletV1.WalletServiceController;
  policy: Pick<policyV1.PolicyServiceController, 'createPolicy' | 'getPolicy' | 'updatePolicy' | 'getUsage'>;
  history: historyV1.HistoryServiceController;
}

const SCRIPT = Symbol('script');
const silent = createLogger('fake', 'silent');

@Controller()
@walletV1.WalletServiceControllerMethods()
class FakeWallet implements walletV1.WalletServiceController {
  constructor(@Inject(SCRIPT) private readonly script: Script) {}
  createWallet(request: walletV1.CreateWalletRequest) {
    return this.script.wallet.createWallet(request);
  }
  getBalances(request: walletV1.GetBalancesRequest) {
    return this.script.wallet.getBalances(request);
  }
  transfer(request: walletV1.TransferRequest) {
    return this.script.wallet.transfer(request);
  }
  previewTransfer(request: walletV1.TransferRequest) {
    return this.script.wallet.previewTransfer(request);
  }
  unwrap(request: walletV1.UnwrapRequest) {
    return this.script.wallet.unwrap(request);
  }
  previewUnwrap(request: walletV1.UnwrapRequest) {
    return this.script.wallet.previewUnwrap(request);
  }
  getToken(request: walletV1.GetTokenRequest) {
    return this.script.wallet.getToken(request);
  }
}

@Controller()
@policyV1.PolicyServiceControllerMethods()
class FakePolicy implements policyV1.PolicyServiceController {
  constructor(@Inject(SCRIPT) private readonly script: Script) {}
  createPolicy(request: policyV1.CreatePolicyRequest) {
    return this.script.policy.createPolicy(request);
  }
  getPolicy(request: policyV1.GetPolicyRequest) {
    return this.script.policy.getPolicy(request);
  }
  updatePolicy(request: policyV1.UpdatePolicyRequest) {
    return this.script.policy.updatePolicy(request);
  }
  getUsage(request: policyV1.GetUsageRequest) {
    return this.script.policy.getUsage(request);
  }
  authorize(): never {
    throw new AppError('INTERNAL_ERROR');
  }
  check(): never {
    throw new AppError('INTERNAL_ERROR');
  }
  settle(): never {
    throw new AppError('INTERNAL_ERROR');
  }
}

@Controller()
@historyV1.HistoryServiceControllerMethods()
class FakeHistory implements historyV1.HistoryServiceController {
  constructor(@Inject(SCRIPT) private readonly script: Script) {}
  listTransactions(request: historyV1.ListTransactionsRequest) {
    return this.script.history.listTransactions(request);
  }
  getTransaction(request: historyV1.GetTransactionRequest) {
    return this.script.history.getTransaction(request);
  }
}

@Module({})
class WalletModule {}
@Module({})
class PolicyModule {}
@Module({})
class HistoryModule {}

const FAKES = {
  wallet: {
    module: WalletModule,
    controller: FakeWallet,
    name: 'agentwallet.wallet.v1.WalletService',
    definition: walletV1.WalletServiceService,
  },
  policy: {
    module: PolicyModule,
    controller: FakePolicy,
    name: 'agentwallet.policy.v1.PolicyService',
    definition: policyV1.PolicyServiceService,
  },
  history: {
    module: HistoryModule,
    controller: FakeHistory,
    name: 'agentwallet.history.v1.HistoryService',
    definition: historyV1.HistoryServiceService,
  },
} as const;

/** A fake that can die in the middle of a call and come back at the same address. */
export interface FakeService {
  readonly address: string;
  /** Cuts every call under way. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts a fake service over real mutual TLS. */
export async function startFake(which: keyof typeof FAKES, script: Script, paths: TlsPaths): Promise<FakeService> {
  const { module, controller, name, definition } = FAKES[which];
  const tls = await loadTls(paths);
  const start = (address: string): Promise<RunningGrpcService> =>
    startGrpcService(
      { module, controllers: [controller], providers: [{ provide: SCRIPT, useValue: script }] },
      controller,
      {
        name,
        definition,
        callers: Object.fromEntries(Object.keys(definition).map((method) => [method, ['gateway']])) as never,
        address,
        tls,
        logger: silent,
        graceMs: 10,
      },
    );
  let running: RunningGrpcService | undefined = await start('127.0.0.1:0');
  const { address } = running;
  return {
    address,
    kill: async () => {
      await running?.stop();
      running = undefined;
    },
    restart: async () => {
      running ??= await start(address);
    },
  };
}
