import type { RPC } from './impostor.js';

/** Who may call what; services that do not exist yet may be listed by the services, and are left out here. */
export const ALLOWED: Record<keyof typeof RPC, Record<string, readonly string[]>> = {
  gateway: { revokeSessions: ['ops'] },
  policy: {
    createPolicy: ['gateway'],
    getPolicy: ['gateway'],
    updatePolicy: ['gateway'],
    getUsage: ['gateway'],
    authorize: ['wallet', 'swap'],
    check: ['wallet', 'swap'],
    settle: ['wallet', 'swap'],
    setFreeze: ['ops'],
    listFreezes: ['ops'],
  },
  signer: { createKey: ['wallet'], createSystemKey: ['wallet'], sign: ['wallet', 'swap'] },
  wallet: {
    createWallet: ['gateway'],
    getWallet: ['swap'],
    getBalances: ['gateway'],
    transfer: ['gateway'],
    previewTransfer: ['gateway'],
    unwrap: ['gateway'],
    previewUnwrap: ['gateway'],
    getToken: ['gateway', 'swap'],
    listOpenOperations: ['ops'],
    explainOperation: ['ops'],
    resendOperation: ['ops'],
  },
  swap: {
    trade: ['gateway'],
    previewTrade: ['gateway'],
    listOpenOperations: ['ops'],
    explainOperation: ['ops'],
    resendOperation: ['ops'],
  },
  history: { listTransactions: ['gateway'], getTransaction: ['gateway'] },
};
