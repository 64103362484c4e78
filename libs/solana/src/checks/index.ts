// What the signer needs, and nothing that imports the SDK: the fewer lines stand beside the keys, the better.
export { addressBytes, addressOf, isAddress } from '../addresses/address.js';
export { associatedTokenAddress, programDerivedAddress } from '../addresses/associated-token-address.js';
export {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  isTokenProgram,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenProgram,
  WRAPPED_SOL_MINT,
} from '../addresses/programs.js';
export { isWalletAddress } from '../addresses/wallet-address.js';
export {
  MAX_COMPUTE_UNITS,
  networkFee,
  readComputeUnitLimit,
  readComputeUnitPrice,
} from '../messages/compute-budget.js';
export {
  type AddressLookup,
  compactU16,
  type DecodedInstruction,
  type DecodedMessage,
  decodeMessage,
  isWritable,
} from '../messages/decode-message.js';
export { verifySignature } from '../messages/verify-signature.js';
export { checkMessage, type MessageLimits } from './check-message.js';
export { decodeOrRefuse } from './decode-or-refuse.js';
export { MessageRefused, type RefusalReason } from '../intents/message-refused.js';
