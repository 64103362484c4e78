import type { RPC } from './impostor.js';

/** Who may call what; services that do not exist yet may be listed by the services, and are left out here. */
export const ALLOWED: Record<keyof typeof RPC, Record<string, readonly string[]>> = {
  gateway: { revokeSessions: ['ops'] },
  policy: {
    createPolicy: ['gateway'],
    getPolicy: ['gateway'],
    updatePolicy: ['gateway'],
    getUsage: ['gateway'],
    authorize: ['wallet'],
    check: ['wallet'],
    settle: ['wallet'],
    setFreeze: ['ops'],
    listFreezes: ['ops'],
  },
  signer: { createKey: ['wallet'], createSystemKey: ['wallet'], sign: ['wallet'] },
  wallet: {
    createWallet: ['gateway'],
    getBalances: ['gateway'],
    transfer: ['gateway'],
    previewTransfer: ['gateway'],
    unwrap: ['gateway'],
    previewUnwrap: ['gateway'],
    getToken: ['gateway'],
    listOpenOperations: ['ops'],
    explainOperation: ['ops'],
    resendOperation: ['ops'],
  },
  history: { listTransactions: ['gateway'], getTransaction: ['gateway'] },
};
