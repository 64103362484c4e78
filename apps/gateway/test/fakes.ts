import { historyV1, policyV1, predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import {
  type GrpcController,
  loadTls,
  type RunningGrpcService,
  startGrpcService,
  type TlsPaths,
} from '@agent-wallet/platform';
import { AppError } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { Controller, Inject, Module, type Type } from '@nestjs/common';

/** What the fake services do; tests replace methods. A method that is not here fails. */
export interface Script {
  wallet: Pick<
    GrpcController<walletV1.WalletServiceService>,
    | 'createWallet'
    | 'getBalances'
    | 'transfer'
    | 'dryRunTransfer'
    | 'unwrap'
    | 'dryRunUnwrap'
    | 'getToken'
    | 'getAttestation'
    | 'getNetwork'
  >;
  swap: GrpcController<swapV1.SwapServiceService>;
  prediction: GrpcController<predictionV1.PredictionServiceService>;
  catalog: GrpcController<predictionV1.CatalogServiceService>;
  policy: Pick<
    GrpcController<policyV1.PolicyServiceService>,
    'createPolicy' | 'getPolicy' | 'updatePolicy' | 'getUsage'
  >;
  owners: Partial<GrpcController<policyV1.OwnerServiceService>>;
  tokens: GrpcController<policyV1.TokenServiceService>;
  history: Pick<
    GrpcController<historyV1.HistoryServiceService>,
    'listTransactions' | 'getTransaction' | 'getProof' | 'findChanges' | 'followChanges'
  >;
}

const SCRIPT = Symbol('script');

type Methods = Readonly<Record<string, ((request: unknown) => unknown) | undefined>>;

/** A controller that does what the script says. */
function fakeController(which: keyof Script, definition: ServiceDefinition): Type<object> {
  @Controller()
  class Fake {
    constructor(@Inject(SCRIPT) readonly script: Script) {}
  }
  for (const method of Object.keys(definition)) {
    const value = function (this: Fake, request: unknown): unknown {
      const scripted = (this.script[which] as Methods)[method];
      if (!scripted) throw new AppError('INTERNAL_ERROR', { message: `no test scripted ${method}` });
      return scripted(request);
    };
    Object.defineProperty(Fake.prototype, method, { value, writable: true, configurable: true });
  }
  return Fake;
}

@Module({})
class WalletModule {}
@Module({})
class SwapModule {}
@Module({})
class PredictionModule {}
@Module({})
class PolicyModule {}
@Module({})
class HistoryModule {}

interface Part {
  readonly which: keyof Script;
  readonly definition: ServiceDefinition;
}

const part = (which: keyof Script, definition: ServiceDefinition): Part => ({ which, definition });

/** What each service serves, on one server. */
const FAKES = {
  wallet: {
    module: WalletModule,
    parts: [part('wallet', walletV1.WalletServiceService)],
  },
  swap: {
    module: SwapModule,
    parts: [part('swap', swapV1.SwapServiceService)],
  },
  prediction: {
    module: PredictionModule,
    parts: [
      part('prediction', predictionV1.PredictionServiceService),
      part('catalog', predictionV1.CatalogServiceService),
    ],
  },
  policy: {
    module: PolicyModule,
    parts: [
      part('policy', policyV1.PolicyServiceService),
      part('owners', policyV1.OwnerServiceService),
      part('tokens', policyV1.TokenServiceService),
    ],
  },
  history: {
    module: HistoryModule,
    parts: [part('history', historyV1.HistoryServiceService)],
  },
} as const;

/** A fake that can die in the middle of a call and come back at the same address. */
export interface FakeService {
  readonly address: string;
  /** The number of kills so far. */
  readonly kills: number;
  /** Cuts every call under way. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts a fake service over real mutual TLS. */
export async function startFake(which: keyof typeof FAKES, script: Script, paths: TlsPaths): Promise<FakeService> {
  const { module, parts } = FAKES[which];
  const services = parts.map(({ which: name, definition }) => ({
    definition,
    callers: Object.fromEntries(Object.keys(definition).map((method) => [method, ['gateway'] as const])),
    controller: fakeController(name, definition),
  }));
  const controllers = services.map(({ controller }) => controller);
  const tls = await loadTls(paths);
  const start = (address: string): Promise<RunningGrpcService> =>
    startGrpcService({ module, controllers, providers: [{ provide: SCRIPT, useValue: script }] }, services, {
      address,
      tls,
      logger: silent,
      graceMs: 10,
    });
  let running: RunningGrpcService | undefined = await start('127.0.0.1:0');
  const { address } = running;
  let kills = 0;
  return {
    address,
    get kills() {
      return kills;
    },
    kill: async () => {
      kills += 1;
      await running?.stop();
      running = undefined;
    },
    restart: async () => {
      running ??= await start(address);
    },
  };
}
