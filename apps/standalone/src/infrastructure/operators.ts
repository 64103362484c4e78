import { OPS_FILE } from '@agent-wallet/ops';
import type { Environment } from '@agent-wallet/platform';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Infrastructure } from './infrastructure.js';

/** Where operators are served: `host:port` each. */
export interface OperatorAddresses {
  readonly policy: string;
  readonly wallet: string;
  readonly swap: string;
  readonly prediction: string;
  readonly gateway: string;
}

/** The environment in which `npm run ops` reaches a deployment. */
export function operatorEnvironment(
  { certificates: { ops } }: Pick<Infrastructure, 'certificates'>,
  { policy, wallet, swap, prediction, gateway }: OperatorAddresses,
): Environment {
  return {
    POLICY_ADDRESS: policy,
    WALLET_ADDRESS: wallet,
    SWAP_ADDRESS: swap,
    PREDICTION_ADDRESS: prediction,
    GATEWAY_GRPC_ADDRESS: gateway,
    TLS_CA_PATH: path.resolve(ops.caPath),
    TLS_CERT_PATH: path.resolve(ops.certPath),
    TLS_KEY_PATH: path.resolve(ops.keyPath),
  };
}

/** Leaves that environment where `npm run ops` looks for it. By rename, so that nobody reads half of it. */
export async function writeOperatorFile(dataDir: string, environment: Environment): Promise<void> {
  const file = path.join(dataDir, OPS_FILE);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(environment, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
