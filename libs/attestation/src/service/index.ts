export { AttestedBoots, type AttestedBootsOptions, attestedReplica, attestSigner } from './attested-boots.js';
export { openSignerReplicas, type SignerAttestations, type SignerReplicas } from './signer-replicas.js';
