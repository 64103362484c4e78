// What the signer needs, and nothing that imports the SDK: the fewer lines stand beside the keys, the better.
export { addressBytes, addressOf, isAddress } from '../addresses/address.js';
export { isWalletAddress } from '../addresses/wallet-address.js';
export { messageHash } from '../messages/transaction.js';
export { verifySignature } from '../messages/verify-signature.js';
export { checkMessage, type MessageLimits } from './check-message.js';
export { MessageRefused, type RefusalReason } from './message-refused.js';
