export { openSignerReplicas, type SignerAttestations, type SignerReplicas } from './signer-replicas.js';
