import { signerV1 } from '@agent-wallet/contracts';
import { loadTls, type Logger, openRpcClient } from '@agent-wallet/platform';
import type { SandboxClient } from '../client/sandbox-client.js';
import type { SystemWallets } from '../infrastructure/environment.js';
import type { Infrastructure } from '../infrastructure/infrastructure.js';

const LAMPORTS_PER_SOL = 1_000_000_000n;

/** Lets the signer make the keys of the operator's wallets, or find them. Asks with the wallet service's certificate. */
export async function makeSystemWallets(
  signerAddress: string,
  { certificates }: Pick<Infrastructure, 'certificates'>,
): Promise<Required<SystemWallets>> {
  const signer = openRpcClient({
    definition: signerV1.SignerServiceService,
    peer: { address: signerAddress, service: 'signer' },
    tls: await loadTls(certificates.wallet),
  });
  try {
    const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES } = signerV1.SystemWallet;
    const [sponsor, fees] = await Promise.all(
      [SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES].map((wallet) => signer.createSystemKey({ wallet })),
    );
    return { sponsor: sponsor!.address, fees: fees!.address };
  } finally {
    signer.close();
  }
}

/** The operator's wallets, with money in a sandbox; elsewhere somebody has to send some, and is told where. */
export async function openSystemWallets(
  signerAddress: string,
  deployment: {
    readonly infrastructure: Pick<Infrastructure, 'certificates'>;
    readonly sandbox: SandboxClient | undefined;
    readonly logger: Logger;
  },
): Promise<Required<SystemWallets>> {
  const wallets = await makeSystemWallets(signerAddress, deployment.infrastructure);
  if (deployment.sandbox) await fundSystemWallets(deployment.sandbox, wallets);
  else deployment.logger.warn(wallets, 'wallets of the operator: agents without SOL need a sponsor that holds some');
  return wallets;
}

/** Gives the operator's wallets money to play with: the sponsor what it spends, the fee wallet what lets it exist. */
export async function fundSystemWallets(
  sandbox: SandboxClient,
  { sponsor, fees }: Required<SystemWallets>,
): Promise<void> {
  const fund = async (address: string, { below, sol }: { below: bigint; sol: number }) => {
    if ((await sandbox.balanceRaw(address, 'SOL')) < below) await sandbox.faucet(address, 'SOL', sol);
  };
  await Promise.all([fund(sponsor, { below: LAMPORTS_PER_SOL, sol: 10 }), fund(fees, { below: 1n, sol: 1 })]);
}
