import type { PeerAddresses } from '../infrastructure/environment.js';
import type { Service } from '../infrastructure/infrastructure.js';

/** The services that one calls, as they were started. */
export type Called<Started> = Readonly<Partial<Record<keyof PeerAddresses, Started>>>;

/** Starts every service after those that it calls. */
export async function startInOrder<Started>({
  start,
  openWallets,
}: {
  readonly start: (service: Service, called: Called<Started>) => Promise<Started>;
  /** Sees to the operator's wallets, once there is a signer: later services are told their addresses. */
  readonly openWallets: (signer: Started) => Promise<void>;
}): Promise<Record<Service, Started>> {
  const signer = await start('signer', {});
  const [history] = await Promise.all([start('history', { signer }), openWallets(signer)]);
  const policy = await start('policy', { signer });
  const wallet = await start('wallet', { signer, policy });
  const swap = await start('swap', { signer, policy, wallet });
  const prediction = await start('prediction', { policy, wallet });
  const gateway = await start('gateway', { policy, wallet, swap, prediction, history });
  return { signer, history, policy, wallet, swap, prediction, gateway };
}
