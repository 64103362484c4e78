import type { PeerAddresses } from '../infrastructure/environment.js';
import type { Part } from '@agent-wallet/kernel';
import type { Service } from '../infrastructure/infrastructure.js';

/** The services that one calls, as they were started. */
export type Called<Started> = Readonly<Partial<Record<keyof PeerAddresses, Started>>>;

/** The services that were started: those of absent parts are not. */
export type Started<One> = Record<Exclude<Service, OptionalService>, One> & Partial<Record<OptionalService, One>>;

/** Services that a deployment has only with one of their parts. */
type OptionalService = keyof typeof PARTS_OF;

const PARTS_OF = { swap: ['trading', 'liquidity'], prediction: ['predictions'] } as const satisfies Partial<
  Record<Service, readonly Part[]>
>;

/** Functions that start services. */
interface Starting<One> {
  readonly parts: readonly Part[];
  readonly start: (service: Service, called: Called<One>) => Promise<One>;
  /** Sees to the operator's wallets, once there is a signer: later services get their addresses. */
  readonly openWallets: (signer: One) => Promise<void>;
}

/** Starts every service after those that it calls. */
export async function startInOrder<One>(starting: Starting<One>): Promise<Started<One>> {
  const { start } = starting;
  const signer = await start('signer', {});
  const [history, movers] = await together(start('history', { signer }), startMovers(signer, starting));
  const gateway = await start('gateway', { ...movers, history });
  return { signer, history, ...movers, gateway };
}

/** Starts the services that move money, and policy, which decides on it. */
async function startMovers<One>(signer: One, { parts, start, openWallets }: Starting<One>) {
  await openWallets(signer);
  const policy = await start('policy', { signer });
  const wallet = await start('wallet', { signer, policy });
  const startIfNeeded = async (service: OptionalService, called: Called<One>) =>
    PARTS_OF[service].some((part) => parts.includes(part)) ? start(service, called) : undefined;
  const [swap, prediction] = await together(
    startIfNeeded('swap', { signer, policy, wallet }),
    startIfNeeded('prediction', { policy, wallet }),
  );
  return { policy, wallet, ...(swap && { swap }), ...(prediction && { prediction }) };
}

/**
 * Resolves with both results, or rejects with the first failure once both have ended: what has started can be stopped
 * then.
 */
async function together<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}
