// What the signer needs, and nothing that reads the aggregator's API: the fewer lines stand beside the keys, the better.
export { checkSwapMessage } from './check-swap-message.js';
