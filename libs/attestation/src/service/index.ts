export { AttestedBoots, type AttestedBootsOptions, attestedReplica, attestSigner } from './attested-boots.js';
export { type AttestedSigner, openAttestedSigner } from './attested-signer.js';
export { openSignerReplicas, type SignerAttestations, type SignerReplicas } from './signer-replicas.js';
