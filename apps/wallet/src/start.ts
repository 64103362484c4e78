import { openAttestedSigner } from '@agent-wallet/attestation/service';
import { walletV1 } from '@agent-wallet/contracts';
import { systemClock } from '@agent-wallet/kernel';
import { serveOperations } from '@agent-wallet/operations';
import {
  createLogger,
  loadTls,
  type RunningGrpcService,
  defineService,
  verifyNetwork,
  verifySchema,
} from '@agent-wallet/platform';
import { networkOf } from '@agent-wallet/solana';
import { reportWallets } from './adapters/report-wallets.js';
import { watchDeposits } from './application/deposits/watch-deposits.js';
import { reportFeeAccounts } from './application/transfers/report-fee-accounts.js';
import { openDependencies, type OpenDependencies, type WalletOverrides } from './dependencies.js';
import { WALLET_CALLERS } from './grpc/callers.js';
import { walletService } from './grpc/wallet-service.js';
import { walletMigrations } from './migrations.js';
import type { WalletSettings } from './settings.js';

const DEPOSIT_GRACE_MS = 2_000;

/** Starts the wallet service on a migrated schema, and takes up the operations that others left. */
export async function startWallet(
  settings: WalletSettings,
  overrides: WalletOverrides = {},
): Promise<RunningGrpcService> {
  const { logger = createLogger('wallet', settings.logLevel), clock = systemClock } = overrides;
  await verifySchema({ connection: settings.database, ...walletMigrations, logger });
  const { solanaNetwork: expected, solanaRpcUrls } = settings;
  await Promise.all(
    solanaRpcUrls.map((url) => verifyNetwork({ expected, read: () => networkOf(url, expected), logger })),
  );
  const tls = await loadTls(settings.tls, { logger });
  const { signerAddress: address, signerAttestationPolicyPath: policyPath } = settings;
  // Without an attested signer nothing starts that asks for one.
  const signers = await openAttestedSigner({ address, policyPath, tls, clock, logger });
  const dependencies = openDependencies(settings, { ...overrides, clock, logger, tls, signers });
  const served = [defineService(walletV1.WalletServiceService, WALLET_CALLERS, walletService(dependencies.useCases))];
  const { operators, engine, close } = dependencies;
  const begin = () => {
    // Only a report: a node that is away must not stop the start.
    void reportFeeAccounts(dependencies).catch((err: unknown) =>
      logger.warn({ event: 'fee_accounts.read_failed', err }, 'Fee accounts could not be read'),
    );
    return startLoops(dependencies);
  };
  return serveOperations(
    { served, operators, engine, begin, close },
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
}

/** Looks for deposits, and names all wallets to policy when it asks. */
function startLoops({ database, recoveries, deposits, logger }: OpenDependencies) {
  const reporting = reportWallets(database.pool, recoveries, logger);
  const watch = watchDeposits(deposits);
  const stopWatch = async () => {
    // A node that does not answer must not delay the end.
    const impatience = setTimeout(() => deposits.chain.close(), DEPOSIT_GRACE_MS);
    await watch.stop().finally(() => clearTimeout(impatience));
  };
  return {
    stop: async () => {
      await Promise.all([reporting.stop(), stopWatch()]);
    },
  };
}
