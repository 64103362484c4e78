import {
  calculateFee,
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToCheckedInstruction,
  createSyncNativeInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getTransferFeeConfig,
  unpackMint,
} from '@solana/spl-token';
import { SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { Chain } from '../chain/chain.js';
import { NATIVE_MINT } from '../chain/programs.js';
import { readExtensions, readTokenAccount, tokenAmount } from '../chain/token-layout.js';
import type { Key } from '../encoding/keys.js';
import type { TokenInfo } from './mainnet.js';
import { type SandboxParties, programIdOf, publicKey, tokenAccountOf } from './token-accounts.js';
import type { Sender } from './sender.js';

/** Extensions under which an ordinary transfer cannot reach a wallet: those units are minted to it. */
const UNTRANSFERABLE = new Set<number>([ExtensionType.NonTransferable, ExtensionType.TransferHook]);

/** The faucet's money: ordinary transactions of a rich wallet. Accounts that are missing are made and paid for. */
export class Faucet {
  constructor(
    private readonly chain: Chain,
    private readonly world: SandboxParties,
    private readonly sender: Sender,
  ) {}

  /** Sends lamports. Answers the signature once it is confirmed. */
  sendSol(to: Key, lamports: bigint): Promise<Key> {
    const { faucet } = this.world;
    const transfer = SystemProgram.transfer({ fromPubkey: publicKey(faucet.key), toPubkey: publicKey(to), lamports });
    return this.sender.send([transfer], [faucet]);
  }

  /** Sends base units of a token so that this much arrives, after any fee of the mint. */
  sendToken(to: Key, token: TokenInfo, units: bigint): Promise<Key> {
    const { faucet, mintAuthority } = this.world;
    const account = tokenAccountOf(to, token);
    const program = programIdOf(token);
    const [payer, target, owner, mint] = [faucet.key, account, to, token.mint].map(publicKey);
    const make = createAssociatedTokenAccountIdempotentInstruction(payer!, target!, owner!, mint!, program);
    if (token.mint === NATIVE_MINT) {
      const transfer = SystemProgram.transfer({ fromPubkey: payer!, toPubkey: target!, lamports: units });
      return this.sender.send([make, transfer, createSyncNativeInstruction(target!)], [faucet]);
    }
    const authority = publicKey(mintAuthority.key);
    const thaw = this.arrivesFrozen(account, token)
      ? [createThawAccountInstruction(target!, mint!, authority, [], program)]
      : [];
    if (this.mustMint(token, units)) {
      const mintTo = createMintToCheckedInstruction(mint!, target!, authority, units, token.decimals, [], program);
      return this.sender.send([make, ...thaw, mintTo], [faucet, mintAuthority]);
    }
    const signers = thaw.length > 0 ? ([faucet, mintAuthority] as const) : ([faucet] as const);
    return this.sender.send([make, ...thaw, this.transfer(target!, token, units)], signers);
  }

  private transfer(target: ReturnType<typeof publicKey>, token: TokenInfo, units: bigint): TransactionInstruction {
    const { faucet } = this.world;
    const source = publicKey(tokenAccountOf(faucet.key, token));
    const gross = this.grossOf(token, units);
    const [mint, owner] = [publicKey(token.mint), publicKey(faucet.key)];
    return createTransferCheckedInstruction(source, mint, target, owner, gross, token.decimals, [], programIdOf(token));
  }

  /** What has to leave so that `units` arrive. */
  private grossOf(token: TokenInfo, units: bigint): bigint {
    const account = this.chain.account(token.mint)!;
    const info = { ...account, owner: publicKey(account.owner), lamports: 0 };
    const config = getTransferFeeConfig(unpackMint(publicKey(token.mint), info, programIdOf(token)));
    const fee = config?.newerTransferFee;
    if (!fee || fee.transferFeeBasisPoints === 0) return units;
    const rate = BigInt(fee.transferFeeBasisPoints);
    const uncapped = rate < 10_000n ? (units * 10_000n + 9_999n - rate) / (10_000n - rate) : units + fee.maximumFee;
    let gross = uncapped < units + fee.maximumFee ? uncapped : units + fee.maximumFee;
    while (gross - calculateFee(fee, gross) < units) gross += 1n;
    return gross;
  }

  /** Whether an ordinary transfer cannot bring the units: of these extensions, or when the faucet holds too few. */
  private mustMint(token: TokenInfo, units: bigint): boolean {
    const own = this.chain.account(tokenAccountOf(this.world.faucet.key, token));
    if (!own || tokenAmount(own) < units) return true;
    return readExtensions(this.chain.account(token.mint)!).some(({ type }) => UNTRANSFERABLE.has(type));
  }

  /** Where accounts begin frozen, the recipient's is thawed first. */
  private arrivesFrozen(account: Key, token: TokenInfo): boolean {
    const existing = this.chain.account(account);
    if (existing) return readTokenAccount(existing).state === 'frozen';
    const defaultState = readExtensions(this.chain.account(token.mint)!).find(
      ({ type }) => type === ExtensionType.DefaultAccountState,
    );
    return defaultState?.value[0] === 2;
  }
}
