// What runs in the sandbox overlay.

/** Every service, in the order in which they are restarted. */
export const SERVICES = ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'];

/** Two of each of these, one of the rest. */
export const REPLICAS = { gateway: 2, wallet: 2, policy: 2, signer: 2, swap: 1, prediction: 1, history: 1 };

export const IMAGE = 'agent-wallet:dev';
export const SANDBOX_IMAGE = 'agent-wallet-sandbox:dev';

/** The name a pod carries. */
export const nameOf = (pod) => pod.metadata.labels?.['app.kubernetes.io/name'];

/** Whether a pod answers and is not about to go. */
export const isReady = (pod) =>
  pod.metadata.deletionTimestamp === undefined &&
  (pod.status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
