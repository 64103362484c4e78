import type { signerV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Callers allowed for each method. */
export const SIGNER_CALLERS: CallerLists<typeof signerV1.SignerServiceService> = {
  createKey: ['wallet'],
  createSystemKey: ['wallet'],
  sign: ['wallet', 'swap'],
  signCheckpoints: ['history'],
  attest: ['wallet', 'policy', 'swap'],
  getBoot: ['ops'],
};

/** Callers allowed for each method on data keys. */
export const KEYS_CALLERS: CallerLists<typeof signerV1.KeyServiceService> = {
  describeKeys: ['ops'],
  addDataKey: ['ops'],
  rewrapKeys: ['ops'],
  retireDataKeys: ['ops'],
};
