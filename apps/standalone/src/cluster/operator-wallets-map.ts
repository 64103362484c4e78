import { type SystemWallets, walletsOf } from '../infrastructure/environment.js';
import { JobError } from './job-error.js';
import type { KubernetesApi } from './kubernetes-api.js';

const NAME = 'operator-wallets';

/**
 * Gives services the addresses of the operator's wallets, as a ConfigMap. @throws JobError when it names others: money
 * may lie there, so a person decides
 */
export async function writeOperatorWallets(
  api: Pick<KubernetesApi, 'find' | 'create'>,
  wallets: Required<SystemWallets>,
): Promise<void> {
  const data = walletsOf(wallets) as Record<string, string>;
  const known = await api.find('configmaps', NAME);
  if (!known) return api.create('configmaps', { metadata: { name: NAME }, data });
  const others = Object.entries(data).filter(([name, address]) => known.data?.[name] !== address);
  if (others.length === 0) return;
  throw new JobError(
    `the ConfigMap ${NAME} has other addresses than the signer: ` +
      others.map(([name, address]) => `${name} is ${address} there`).join(', ') +
      '; when the database was created again, delete the ConfigMap, run this again, and restart policy and wallet',
  );
}
