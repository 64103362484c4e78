import type { PeerAddresses } from '../infrastructure/environment.js';
import type { Service } from '../infrastructure/infrastructure.js';

/** The services that one calls, as they were started. */
export type Called<Started> = Readonly<Partial<Record<keyof PeerAddresses, Started>>>;

/** Functions that start services. */
interface Starting<Started> {
  readonly start: (service: Service, called: Called<Started>) => Promise<Started>;
  /** Sees to the operator's wallets, once there is a signer: later services get their addresses. */
  readonly openWallets: (signer: Started) => Promise<void>;
}

/** Starts every service after those that it calls. */
export async function startInOrder<Started>(starting: Starting<Started>): Promise<Record<Service, Started>> {
  const { start } = starting;
  const signer = await start('signer', {});
  const [history, movers] = await together(start('history', { signer }), startMovers(signer, starting));
  const gateway = await start('gateway', { ...movers, history });
  return { signer, history, ...movers, gateway };
}

/** Starts the services that move money, and policy, which decides on it. */
async function startMovers<Started>(signer: Started, { start, openWallets }: Starting<Started>) {
  await openWallets(signer);
  const policy = await start('policy', { signer });
  const wallet = await start('wallet', { signer, policy });
  const [swap, prediction] = await together(
    start('swap', { signer, policy, wallet }),
    start('prediction', { policy, wallet }),
  );
  return { policy, wallet, swap, prediction };
}

/**
 * Resolves with both results, or rejects with the first failure once both have ended: what has started can be stopped
 * then.
 */
async function together<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}
