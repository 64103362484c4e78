import { isRealMoney, type Part, type SolanaNetwork } from '@agent-wallet/kernel';
import { API_VERSION } from '../../api/schemas/headers.js';
import type { RateLimits } from '../../domain/rate-limits.js';

/** The name of the service in `/` and in the front matter of skill.md. */
export const SERVICE_NAME = 'agent-wallet';

/** Facts in the documents beyond the routes. */
export interface DocumentFacts {
  readonly publicUrl: string;
  readonly network: SolanaNetwork;
  /** Parts that the deployment has. */
  readonly parts: readonly Part[];
  /** The sandbox's admin API; undefined elsewhere, and where agents cannot reach it. */
  readonly sandboxAdminUrl?: string | undefined;
  /** The origin of the owners' console; undefined where agents have no owners. */
  readonly ownerOrigin?: string | undefined;
  readonly rateLimits: RateLimits;
  readonly keyCustody: string;
}

/** Returns the response of `GET /`. */
export function aboutService({
  publicUrl,
  network,
  sandboxAdminUrl,
}: Pick<DocumentFacts, 'publicUrl' | 'network' | 'sandboxAdminUrl'>) {
  const hasFaucet = network === 'sandbox' && sandboxAdminUrl !== undefined;
  return {
    name: SERVICE_NAME,
    version: API_VERSION,
    network,
    realMoney: isRealMoney(network),
    faucet: hasFaucet ? `${sandboxAdminUrl}/faucet` : null,
    documents: {
      skill: `${publicUrl}/skill.md`,
      llms: `${publicUrl}/llms.txt`,
      openapi: `${publicUrl}/openapi.json`,
      ownerOpenapi: `${publicUrl}/owner/openapi.json`,
      docs: `${publicUrl}/docs`,
    },
  };
}

/** Returns one sentence on the network and the worth of its money. */
export function networkSentence(network: SolanaNetwork): string {
  return isRealMoney(network)
    ? `Network: \`${network}\`. **Money is real.**`
    : `Network: \`${network}\`. **Money here has no value.**`;
}
