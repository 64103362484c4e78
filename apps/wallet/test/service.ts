import { operationsV1, walletV1 } from '@agent-wallet/contracts';
import { Secret, usdMicros } from '@agent-wallet/kernel';
import { type Database, loadTls, openRpcClient, type RpcClient, type ServiceName } from '@agent-wallet/platform';
import { openMigratedDatabase, openTestSchema, silent } from '@agent-wallet/platform/testing';
import { testCertificates } from '@agent-wallet/testing';
import { startWallet, walletMigrations, type WalletSettings } from '../src/index.js';

export type WalletClient = RpcClient<typeof walletV1.WalletServiceService>;
export type OperationsClient = RpcClient<typeof operationsV1.OperationsServiceService>;

/** Every name that a certificate of the deployment can carry. */
export const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;

/** The migrated schema of the wallet service in a database of its own. */
export async function openWalletDatabase() {
  const test = await openMigratedDatabase([walletMigrations]);
  const connection = { ...test.schemas.wallet, password: new Secret(test.schemas.wallet.password) };
  const database: Database = openTestSchema(test.schemas.wallet, 'wallet');
  const close = async () => {
    await database.close();
    await test.close();
  };
  return { connection, database, close };
}

/** The service as it runs in production, with no peers except the given ones. */
export async function startTestService(over: Partial<WalletSettings> = {}) {
  const { connection, database, close } = await openWalletDatabase();
  const certificates = await testCertificates(NAMES);
  const unreachable = '127.0.0.1:1';
  const service = await startWallet(
    {
      grpcAddress: '127.0.0.1:0',
      database: connection,
      tls: certificates.wallet,
      logLevel: 'silent',
      stream: { kind: 'postgres' },
      solanaNetwork: 'sandbox',
      solanaRpcUrls: [`http://${unreachable}`],
      solanaSendUrls: [],
      solanaWsUrl: `ws://${unreachable}`,
      jupiterBaseUrl: `http://${unreachable}`,
      depositCallsInFlight: 8,
      maxPriorityFeeLamports: 50_000n,
      policyAddress: unreachable,
      signerAddress: unreachable,
      isSponsoring: true,
      transferFees: { basisPoints: 0, flatUsdMicros: usdMicros(0n) },
      ...over,
    },
    { logger: silent, timing: { graceMs: 0 } },
  );
  const clients: { close(): void }[] = [];
  const doorOf = async (name: ServiceName) =>
    ({ peer: { address: service.address, service: 'wallet' }, tls: await loadTls(certificates[name]) }) as const;
  return {
    database,
    /** A client that shows the certificate of a service. */
    as: async (name: ServiceName): Promise<WalletClient> => {
      const client = openRpcClient({ definition: walletV1.WalletServiceService, ...(await doorOf(name)) });
      clients.push(client);
      return client;
    },
    /** The same at the operators' surface. */
    operationsAs: async (name: ServiceName): Promise<OperationsClient> => {
      const client = openRpcClient({ definition: operationsV1.OperationsServiceService, ...(await doorOf(name)) });
      clients.push(client);
      return client;
    },
    stop: async () => {
      for (const client of clients) client.close();
      await service.stop();
      await close();
    },
  };
}
