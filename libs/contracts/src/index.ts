// The generated messages and services, one namespace an area: they are the client's, which other teams get without the rest.
export * from '@agent-wallet/client/messages';
export { DESCRIPTOR_FILES, type DescriptorFile } from './generated/descriptors.js';
export { PERMIT_LIFETIME_MS, permitSigningInput } from './permit.js';
export {
  type AgentPolicyChangeMessage,
  policyChangeMessage,
  type PolicyChangeMessage,
  policyFieldsMessage,
  type PolicyFieldsMessage,
  readPolicyChange,
  readPolicyFields,
} from './policy-message.js';
