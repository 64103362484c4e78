import { OPS_FILE } from '@agent-wallet/ops';
import { clientTlsEnvironment, type Environment } from '@agent-wallet/platform';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Infrastructure } from './infrastructure.js';

/** Address of a service, and the one for operators if that differs: `host:port` each. */
interface Place {
  readonly address: string;
  readonly operatorAddress?: string;
}

/** The services that serve operators. */
type OperatorPlaces = Readonly<
  Record<'policy' | 'wallet' | 'history' | 'gateway' | 'signer', Place> & Partial<Record<'swap' | 'prediction', Place>>
>;

/** Returns the environment in which `npm run ops` reaches a deployment. */
export function operatorEnvironment(
  { certificates: { ops } }: Pick<Infrastructure, 'certificates'>,
  services: OperatorPlaces,
): Environment {
  const of = (service: keyof OperatorPlaces) => services[service]?.operatorAddress ?? services[service]?.address;
  return {
    POLICY_ADDRESS: of('policy'),
    WALLET_ADDRESS: of('wallet'),
    SWAP_ADDRESS: of('swap'),
    PREDICTION_ADDRESS: of('prediction'),
    HISTORY_ADDRESS: of('history'),
    GATEWAY_GRPC_ADDRESS: of('gateway'),
    SIGNER_ADDRESS: of('signer'),
    ...Object.fromEntries(Object.entries(clientTlsEnvironment(ops)).map(([name, file]) => [name, path.resolve(file)])),
  };
}

/** Leaves that environment where `npm run ops` looks for it. By rename, so that no reader sees half of it. */
export async function writeOperatorFile(dataDir: string, environment: Environment): Promise<void> {
  const file = path.join(dataDir, OPS_FILE);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(environment, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
