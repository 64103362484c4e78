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
    'listTransactions' | 'getTransaction' | 'sumSpending' | 'getProof' | 'findChanges' | 'followChanges'
  >;
}

type Methods = Readonly<Record<string, ((request: unknown) => unknown) | undefined>>;

/** Creates handlers that do what the script says. */
function scripted(script: Script, which: keyof Script, definition: ServiceDefinition): object {
  const handler = (method: string) => (request: unknown) => {
    const answer = (script[which] as Methods)[method];
    if (!answer) throw new AppError('INTERNAL_ERROR', { message: `no test scripted ${method}` });
    return answer(request);
  };
  return Object.fromEntries(Object.keys(definition).map((method) => [method, handler(method)]));
}

interface Part {
  readonly which: keyof Script;
  readonly definition: ServiceDefinition;
}

const part = (which: keyof Script, definition: ServiceDefinition): Part => ({ which, definition });

/** What each service serves, on one server. */
const FAKES = {
  wallet: [part('wallet', walletV1.WalletServiceService)],
  swap: [part('swap', swapV1.SwapServiceService)],
  prediction: [
    part('prediction', predictionV1.PredictionServiceService),
    part('catalog', predictionV1.CatalogServiceService),
  ],
  policy: [
    part('policy', policyV1.PolicyServiceService),
    part('owners', policyV1.OwnerServiceService),
    part('tokens', policyV1.TokenServiceService),
  ],
  history: [part('history', historyV1.HistoryServiceService)],
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
  const services = FAKES[which].map(({ which: name, definition }) => ({
    definition,
    callers: Object.fromEntries(Object.keys(definition).map((method) => [method, ['gateway'] as const])),
    controller: scripted(script, name, definition),
  }));
  const tls = await loadTls(paths);
  const start = (address: string): Promise<RunningGrpcService> =>
    startGrpcService(services, {
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
