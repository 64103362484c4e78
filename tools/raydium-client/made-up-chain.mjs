// A chain that holds accounts which the official client encoded itself: the source of the golden vectors.
import { createHash } from 'node:crypto';

export const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const DISCRIMINATORS = { pool: 'f7ede3f5d7c3de46', config: 'daf42168cbcb2b6f' };
const RENT_LAMPORTS = 2_039_280;
const SLOT = 1_000;

/** Returns a public key without a meaning, always the same for a name. */
export function namedKey({ web3 }, name) {
  return new web3.PublicKey(createHash('sha256').update(name).digest());
}

/** Makes the bytes of an account by the client's layout; the client does not write the discriminator. */
export function encode(layout, kind, values) {
  const data = Buffer.alloc(layout.span);
  layout.encode(values, data);
  data.write(DISCRIMINATORS[kind], 'hex');
  return data;
}

/** Returns a connection that answers what the client asks of it, from accounts by their address. */
export function madeUpConnection(client, accounts) {
  const info = (key) => accounts.get(key.toBase58()) ?? null;
  const held = ([address, { data, owner }], program, wallet) =>
    owner.equals(program) && data.length === 165 && wallet.equals(client.token.AccountLayout.decode(data).owner)
      ? [{ pubkey: new client.web3.PublicKey(address), account: accounts.get(address) }]
      : [];
  return {
    getAccountInfo: async (key) => info(key),
    getMultipleAccountsInfo: async (keys) => keys.map(info),
    getTokenAccountsByOwner: async (wallet, { programId }) => ({
      context: { slot: SLOT },
      value: [...accounts].flatMap((entry) => held(entry, programId, wallet)),
    }),
    getEpochInfo: async () => ({ epoch: 2, slotsInEpoch: 432_000, absoluteSlot: SLOT, slotIndex: 0 }),
    getMinimumBalanceForRentExemption: async () => RENT_LAMPORTS,
    getLatestBlockhash: async () => ({
      blockhash: namedKey(client, 'blockhash').toBase58(),
      lastValidBlockHeight: SLOT,
    }),
  };
}

/** Makes an account as connections return them. */
export function account(owner, data) {
  return { owner, data, lamports: RENT_LAMPORTS, executable: false, rentEpoch: 0 };
}

/** Makes a token account. */
export function tokenAccount({ token }, { program, mint, owner, amount }) {
  const data = Buffer.alloc(token.ACCOUNT_SIZE);
  const none = { delegateOption: 0, delegate: owner, isNativeOption: 0, isNative: 0n, delegatedAmount: 0n };
  const close = { closeAuthorityOption: 0, closeAuthority: owner };
  token.AccountLayout.encode({ mint, owner, amount: BigInt(amount), state: 1, ...none, ...close }, data);
  return account(program, data);
}

/** Makes a mint without authorities. */
export function mintAccount({ token, web3 }, { program, decimals }) {
  const data = Buffer.alloc(token.MINT_SIZE);
  const none = { mintAuthorityOption: 0, freezeAuthorityOption: 0 };
  const empty = { mintAuthority: web3.PublicKey.default, freezeAuthority: web3.PublicKey.default };
  token.MintLayout.encode({ supply: 1n, decimals, isInitialized: true, ...none, ...empty }, data);
  return account(program, data);
}
