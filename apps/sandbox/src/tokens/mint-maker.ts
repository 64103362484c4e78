import {
  AccountState,
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeDefaultAccountStateInstruction,
  createInitializeInterestBearingMintInstruction,
  createInitializeMint2Instruction,
  createInitializeNonTransferableMintInstruction,
  createInitializePausableConfigInstruction,
  createInitializePermanentDelegateInstruction,
  createInitializeScaledUiAmountConfigInstruction,
  createInitializeTransferFeeConfigInstruction,
  createInitializeTransferHookInstruction,
  createMintToCheckedInstruction,
  createThawAccountInstruction,
  ExtensionType,
  getMintLen,
} from '@solana/spl-token';
import { type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { randomBytes } from 'node:crypto';
import type { Chain } from '../chain/chain.js';
import { deriveKeypair } from '../chain/keypair.js';
import type { Key } from '../encoding/keys.js';
import type { TokenInfo } from './mainnet.js';
import { type SandboxParties, programIdOf, publicKey, tokenAccountOf } from './token-accounts.js';
import type { Sender } from './sender.js';

const FAUCET_UNITS = 1_000_000_000_000_000_000n;
/** Above so many decimals, the faucet's share would use up a supply of 64 bits: units are minted as they are asked for. */
const MOST_FILLED_DECIMALS = 9;
const MAX_FEE_UNITS = 2n ** 64n - 1n;

/** What a token-2022 mint can be made with. */
export const MINT_EXTENSIONS = [
  'transferHook',
  'permanentDelegate',
  'pausable',
  'nonTransferable',
  'defaultFrozen',
] as const;

type MintExtension = (typeof MINT_EXTENSIONS)[number];

/** A token made on request. */
export interface MintOrder {
  readonly symbol: string;
  readonly decimals: number;
  readonly program: 'token' | 'token-2022';
  readonly transferFeeBps?: number | undefined;
  /** Wallets show amounts times this, by the extension for it; base units stay. */
  readonly uiMultiplier?: number | undefined;
  /** Interest a year in basis points, which wallets add to what they show. */
  readonly interestRateBps?: number | undefined;
  readonly extensions: readonly MintExtension[];
  /** True: the sandbox's own authority; an address: that one. */
  readonly freezeAuthority: boolean | Key;
}

/** Makes tokens by ordinary transactions of the real token programs, with plenty of each for the faucet. */
export class MintMaker {
  constructor(
    private readonly chain: Chain,
    private readonly world: SandboxParties,
    private readonly sender: Sender,
  ) {}

  /** Makes the mint and fills the faucet's account, in two transactions. */
  async make(order: MintOrder): Promise<TokenInfo> {
    const { faucet, mintAuthority } = this.world;
    const keypair = deriveKeypair(randomBytes(32), 'mint');
    const token: TokenInfo = { ...pick(order), name: order.symbol, mint: keypair.key };
    await this.sender.send(this.mintInstructions(order, token), [faucet, keypair]);
    if (!order.extensions.includes('nonTransferable') && order.decimals <= MOST_FILLED_DECIMALS) {
      await this.sender.send(this.fillInstructions(order, token), [faucet, mintAuthority]);
    }
    return token;
  }

  private mintInstructions(order: MintOrder, token: TokenInfo): TransactionInstruction[] {
    const [mint, payer, authority] = [token.mint, this.world.faucet.key, this.world.mintAuthority.key].map(publicKey);
    const extensions = extensionInstructions(order, mint!, authority!);
    const space = getMintLen(extensions.map(({ type }) => type));
    const lamports = Number(this.chain.svm.rentExemption(space));
    const programId = programIdOf(order);
    const create = SystemProgram.createAccount({
      fromPubkey: payer!,
      newAccountPubkey: mint!,
      space,
      lamports,
      programId,
    });
    const freeze = this.freezeAuthority(order);
    const init = createInitializeMint2Instruction(mint!, order.decimals, authority!, freeze, programId);
    return [create, ...extensions.map(({ instruction }) => instruction), init];
  }

  private fillInstructions(order: MintOrder, token: TokenInfo): TransactionInstruction[] {
    const program = programIdOf(token);
    const { faucet, mintAuthority } = this.world;
    const account = tokenAccountOf(faucet.key, token);
    const [payer, target, mint, authority] = [faucet.key, account, token.mint, mintAuthority.key].map(publicKey);
    const make = createAssociatedTokenAccountIdempotentInstruction(payer!, target!, payer!, mint!, program);
    const thaw = createThawAccountInstruction(target!, mint!, authority!, [], program);
    const fill = createMintToCheckedInstruction(mint!, target!, authority!, FAUCET_UNITS, token.decimals, [], program);
    return order.extensions.includes('defaultFrozen') ? [make, thaw, fill] : [make, fill];
  }

  /** A token whose accounts begin frozen needs an authority that can thaw them. */
  private freezeAuthority({ freezeAuthority, extensions }: MintOrder): PublicKey | null {
    if (typeof freezeAuthority === 'string') return publicKey(freezeAuthority);
    return freezeAuthority || extensions.includes('defaultFrozen') ? publicKey(this.world.mintAuthority.key) : null;
  }
}

function pick({ symbol, decimals, program }: MintOrder): Pick<TokenInfo, 'symbol' | 'decimals' | 'program'> {
  return { symbol, decimals, program };
}

interface ExtensionSetup {
  readonly type: ExtensionType;
  readonly instruction: TransactionInstruction;
}

function extensionInstructions(order: MintOrder, mint: PublicKey, authority: PublicKey): ExtensionSetup[] {
  const program = programIdOf(order);
  const makers: Record<MintExtension, () => ExtensionSetup> = {
    // No such program exists: a transfer that would call it fails, as with a hook that refuses.
    transferHook: () => ({
      type: ExtensionType.TransferHook,
      instruction: createInitializeTransferHookInstruction(mint, authority, authority, program),
    }),
    permanentDelegate: () => ({
      type: ExtensionType.PermanentDelegate,
      instruction: createInitializePermanentDelegateInstruction(mint, authority, program),
    }),
    pausable: () => ({
      type: ExtensionType.PausableConfig,
      instruction: createInitializePausableConfigInstruction(mint, authority, program),
    }),
    nonTransferable: () => ({
      type: ExtensionType.NonTransferable,
      instruction: createInitializeNonTransferableMintInstruction(mint, program),
    }),
    defaultFrozen: () => ({
      type: ExtensionType.DefaultAccountState,
      instruction: createInitializeDefaultAccountStateInstruction(mint, AccountState.Frozen, program),
    }),
  };
  const setups = [...new Set(order.extensions)].map((name) => makers[name]()).concat(shownBy(order, mint, authority));
  if (order.transferFeeBps === undefined) return setups;
  const fee = createInitializeTransferFeeConfigInstruction(
    mint,
    authority,
    authority,
    order.transferFeeBps,
    MAX_FEE_UNITS,
    program,
  );
  return [...setups, { type: ExtensionType.TransferFeeConfig, instruction: fee }];
}

/** The extensions that change what wallets show. */
function shownBy(order: MintOrder, mint: PublicKey, authority: PublicKey): ExtensionSetup[] {
  const { uiMultiplier, interestRateBps } = order;
  const program = programIdOf(order);
  const scaled = uiMultiplier !== undefined && {
    type: ExtensionType.ScaledUiAmountConfig,
    instruction: createInitializeScaledUiAmountConfigInstruction(mint, authority, uiMultiplier, program),
  };
  const interest = interestRateBps !== undefined && {
    type: ExtensionType.InterestBearingConfig,
    instruction: createInitializeInterestBearingMintInstruction(mint, authority, interestRateBps, program),
  };
  return [scaled, interest].filter((each) => each !== false);
}
