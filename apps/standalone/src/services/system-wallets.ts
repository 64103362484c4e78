import { signerV1 } from '@agent-wallet/contracts';
import { type ClientTlsPaths, loadTls, type Logger, openRpcClient } from '@agent-wallet/platform';
import type { SandboxClient } from '../client/sandbox-client.js';
import type { SystemWallets } from '../infrastructure/environment.js';
import type { Infrastructure } from '../infrastructure/infrastructure.js';

const LAMPORTS_PER_SOL = 1_000_000_000n;

/** USDC of the treasury at the start of a sandbox. */
const TREASURY_USDC = 10_000;

/** The sentence beside wallets that no faucet fills. */
export const FUNDING_REQUIRED = 'Operator wallets need funds: SOL for the sponsor, SOL and USDC for the treasury';

/** Funds for a wallet that holds too little. */
interface Gift {
  /** Base units. */
  readonly below: bigint;
  readonly amount: number;
  readonly token?: string;
}

/** Lets the signer make the keys of the operator's wallets, or find them. Asks with the wallet service's certificate. */
export async function makeSystemWallets(
  signerAddress: string,
  { wallet }: { readonly wallet: ClientTlsPaths },
): Promise<Required<SystemWallets>> {
  const signer = openRpcClient({
    definition: signerV1.SignerServiceService,
    peer: { address: signerAddress, service: 'signer' },
    tls: await loadTls(wallet),
  });
  try {
    const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY } = signerV1.SystemWallet;
    const [sponsor, fees, treasury] = await Promise.all(
      [SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY].map((wallet) =>
        signer.createSystemKey({ wallet }),
      ),
    );
    return { sponsor: sponsor!.address, fees: fees!.address, treasury: treasury!.address };
  } finally {
    signer.close();
  }
}

/** Opens the operator's wallets, with money in a sandbox; elsewhere the log says where to send some. */
export async function openSystemWallets(
  signerAddress: string,
  deployment: {
    readonly infrastructure: Pick<Infrastructure, 'certificates'>;
    readonly sandbox: SandboxClient | undefined;
    readonly logger: Logger;
  },
): Promise<Required<SystemWallets>> {
  const wallets = await makeSystemWallets(signerAddress, deployment.infrastructure.certificates);
  if (deployment.sandbox) await fundSystemWallets(deployment.sandbox, wallets);
  else deployment.logger.warn({ event: 'operator_wallets.funding_required', ...wallets }, FUNDING_REQUIRED);
  return wallets;
}

/**
 * Gives the operator's wallets money to play with: the sponsor and the treasury what they spend, the fee wallet what lets
 * it exist and opens its account of USDC.
 */
export async function fundSystemWallets(
  sandbox: SandboxClient,
  { sponsor, fees, treasury }: Required<SystemWallets>,
): Promise<void> {
  const fund = async (address: string, { below, amount, token = 'SOL' }: Gift) => {
    if ((await sandbox.balanceRaw(address, token)) < below) await sandbox.faucet(address, token, amount);
  };
  await Promise.all([
    fund(sponsor, { below: LAMPORTS_PER_SOL, amount: 10 }),
    fund(fees, { below: 1n, amount: 1 }),
    fund(fees, { below: 1n, amount: 1, token: 'USDC' }),
    fund(treasury, { below: LAMPORTS_PER_SOL, amount: 10 }),
    fund(treasury, { below: 1n, amount: TREASURY_USDC, token: 'USDC' }),
  ]);
}
