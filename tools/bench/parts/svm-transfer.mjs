// Bare part: the virtual machine runs a token transfer, in process.
import {
  assembleTransaction,
  associatedTokenAddress,
  addressBytes,
  buildMessage,
  encodeBase58,
} from '@agent-wallet/solana';
import { ACCOUNT_SIZE, AccountLayout, MINT_SIZE, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import litesvm from 'litesvm/dist/internal.js';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const DECIMALS = 6;
const RICH = 10n ** 18n;

/** Once a transfer. The same bytes each time: without the checks that a chain adds, the machine takes them again. */
export function openSvmTransfer() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const wallet = encodeBase58(Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url'));
  const [recipient, mint] = [randomBytes(32), randomBytes(32)].map((bytes) => encodeBase58(bytes));
  const vm = new litesvm.LiteSvm();
  vm.setBlockhashCheck(false);
  vm.setTransactionHistory(0n);
  const put = (address, lamports, data, owner) => {
    const account = new litesvm.Account(lamports, data, addressBytes(owner), false, 0n);
    vm.setAccount(addressBytes(address), account);
  };
  put(wallet, RICH, Buffer.alloc(0), SYSTEM_PROGRAM);
  put(mint, RICH, mintData(), TOKEN_PROGRAM);
  for (const [owner, amount] of [
    [wallet, RICH],
    [recipient, 0n],
  ]) {
    const address = associatedTokenAddress({ owner, mint, tokenProgram: TOKEN_PROGRAM });
    put(address, RICH, tokenAccountData({ mint, owner, amount }), TOKEN_PROGRAM);
  }
  const token = { mint, tokenProgram: TOKEN_PROGRAM, decimals: DECIMALS, createsRecipientAccount: false, memo: '' };
  const intent = { wallet, action: { $case: 'transfer', value: { recipient, amount: 1n, ...token } } };
  const message = buildMessage({ intent, blockhash: encodeBase58(randomBytes(32)) });
  const transaction = assembleTransaction(message, [sign(null, message, privateKey)]);
  const call = () => {
    const result = vm.sendVersionedTransaction(transaction);
    if (result instanceof litesvm.FailedTransactionMetadata) throw new Error('the bare transfer failed');
  };
  return { name: 'the SVM runs a token transfer', times: 1, call };
}

function mintData() {
  const data = Buffer.alloc(MINT_SIZE);
  const nobody = new PublicKey(SYSTEM_PROGRAM);
  MintLayout.encode(
    {
      ...{ mintAuthorityOption: 0, mintAuthority: nobody, freezeAuthorityOption: 0, freezeAuthority: nobody },
      ...{ supply: RICH, decimals: DECIMALS, isInitialized: true },
    },
    data,
  );
  return data;
}

function tokenAccountData({ mint, owner, amount }) {
  const data = Buffer.alloc(ACCOUNT_SIZE);
  const nobody = new PublicKey(SYSTEM_PROGRAM);
  AccountLayout.encode(
    {
      ...{ mint: new PublicKey(mint), owner: new PublicKey(owner), amount, state: 1 },
      ...{ delegateOption: 0, delegate: nobody, delegatedAmount: 0n, isNativeOption: 0, isNative: 0n },
      ...{ closeAuthorityOption: 0, closeAuthority: nobody },
    },
    data,
  );
  return data;
}
