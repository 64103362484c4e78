import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { MEMO_PROGRAM } from '../addresses/programs.js';
import { MINT, RECIPIENT, SPONSOR, THIEF } from './actors.js';
import { encodeMessage, type MessageParts } from './encode-message.js';
import { foreignInstructions } from './foreign-instructions.js';
import { compile, type Forgery, honestInstructions, honestMessage, partsOf } from './forgery.js';
import { payerOf, type Scenario } from './scenarios.js';

/** Messages in which the sponsor does more than to pay, less, or is another wallet; or is there unasked. */
export function forgedSponsors(scenario: Scenario): Forgery[] {
  return scenario.intent.sponsor === undefined
    ? unaskedSponsors(scenario)
    : [...misusedSponsors(scenario, scenario.intent.sponsor), ...misplacedSigners(scenario)];
}

const keyMeta = (pubkey: PublicKey, isSigner: boolean) => ({ pubkey, isSigner, isWritable: false });

/** Creates an instruction whose only effect is to require more signers. */
function signedMemo(...signers: PublicKey[]): TransactionInstruction {
  const keys = signers.map((signer) => keyMeta(signer, true));
  return new TransactionInstruction({ programId: new PublicKey(MEMO_PROGRAM), keys, data: Buffer.from('x') });
}

/** Adds a required signer to the honest instructions. */
function alsoSignedBy(signer: PublicKey, honest: readonly TransactionInstruction[]): TransactionInstruction[] {
  const { programId, keys, data } = honest.at(-1)!;
  return [
    ...honest.slice(0, -1),
    new TransactionInstruction({ programId, keys: [...keys, keyMeta(signer, true)], data }),
  ];
}

function unaskedSponsors(scenario: Scenario): Forgery[] {
  const honest = honestInstructions(scenario);
  const wallet = new PublicKey(payerOf(scenario));
  return [
    { name: 'an unrequested sponsor', message: compile(SPONSOR, honest) },
    { name: 'an unrequested sponsor (legacy)', message: compile(SPONSOR, honest, 'legacy') },
    { name: 'a sponsor that signs and does not pay', message: compile(wallet, alsoSignedBy(SPONSOR, honest)) },
    { name: 'a second signer without a part', message: withSigner(honestMessage(scenario), SPONSOR, 1) },
  ];
}

function misusedSponsors(scenario: Scenario, address: string): Forgery[] {
  const sponsor = new PublicKey(address);
  const wallet = new PublicKey(scenario.intent.wallet);
  const honest = honestInstructions(scenario);
  const spent = SystemProgram.transfer({ fromPubkey: sponsor, toPubkey: RECIPIENT, lamports: 1_500_000_000n });
  const tokens = [MINT, getAssociatedTokenAddressSync(MINT, RECIPIENT)] as const;
  const spentToken = createTransferCheckedInstruction(
    ...([getAssociatedTokenAddressSync(MINT, sponsor), ...tokens, sponsor, 64_100_000n, 6] as const),
  );
  const emptied = SystemProgram.transfer({ fromPubkey: sponsor, toPubkey: wallet, lamports: 1n });
  const forgery = (name: string, instructions: TransactionInstruction[], payer = sponsor): Forgery => ({
    name,
    message: compile(payer, instructions),
  });
  const replaced = honest.map(({ programId, keys, data }) => {
    const swapped = keys.map((key) => (key.pubkey.equals(wallet) ? { ...key, pubkey: sponsor } : key));
    return new TransactionInstruction({ programId, keys: swapped, data });
  });
  return [
    ...foreignInstructions(sponsor).flatMap(({ name, instruction }) => [
      forgery(`${name} of the sponsor at the end`, [...honest, instruction]),
      forgery(`${name} of the sponsor instead of the last one`, [...honest.slice(0, -1), instruction]),
    ]),
    forgery("the sponsor's SOL instead of the wallet's", [...honest.slice(0, -1), spent]),
    ...[spent, spentToken].map((instruction, i) => ({
      name: `the sponsor's ${i === 0 ? 'SOL' : 'tokens'} instead of the wallet's, and the wallet signs`,
      message: withSigner(compile(sponsor, [...honest.slice(0, -1), instruction]), wallet, 1),
    })),
    forgery("the sponsor's SOL, too", [...honest, spent]),
    forgery("the sponsor's SOL to the wallet", [...honest.slice(0, 1), emptied, ...honest.slice(1)]),
    forgery("the sponsor's tokens instead of the wallet's", [...honest.slice(0, -1), spentToken]),
    forgery("the sponsor in the wallet's place everywhere", replaced),
    forgery("the sponsor in the wallet's place, and the wallet signs", alsoSignedBy(wallet, replaced)),
    forgery('no sponsor', honest, wallet),
    forgery('a thief as the sponsor', honest, THIEF),
    forgery('a thief pays, the sponsor signs, too', alsoSignedBy(sponsor, honest), THIEF),
    forgery('a third signer', alsoSignedBy(THIEF, honest)),
    forgery('a third signer at an instruction of his own', [...honest, signedMemo(THIEF)]),
    forgery('a memo signed by both', [...honest, signedMemo(sponsor, wallet)]),
  ];
}

/** Headers and keys about who signs, and at which place. */
function misplacedSigners(scenario: Scenario): Forgery[] {
  const honest = honestMessage(scenario);
  const forgery = (name: string, tamper: (parts: MessageParts) => void): Forgery => {
    const parts = partsOf(honest);
    tamper(parts);
    return { name, message: encodeMessage(parts) };
  };
  const swapKeys = ({ keys }: MessageParts, a = 0, b = 1) => {
    [keys[a], keys[b]] = [keys[b]!, keys[a]!];
  };
  const swapUses = ({ instructions }: MessageParts, a = 0, b = 1) => {
    const other = (index: number) => (index === a ? b : index === b ? a : index);
    for (const instruction of instructions) {
      instruction.program = other(instruction.program);
      instruction.accounts = instruction.accounts.map(other);
    }
  };
  const signsForWallet = (parts: MessageParts, other: number) => {
    swapKeys(parts, 1, other);
    swapUses(parts, 1, other);
  };
  return [
    forgery('wallet and sponsor swapped, the wallet pays', (parts) => {
      swapKeys(parts);
      swapUses(parts);
    }),
    forgery("wallet and sponsor swapped, each in the other's part", (parts) => swapKeys(parts)),
    forgery('the parts of wallet and sponsor swapped', (parts) => swapUses(parts)),
    forgery("the first account signs in the wallet's place", (parts) => signsForWallet(parts, 2)),
    forgery("the last account signs in the wallet's place", (parts) => signsForWallet(parts, parts.keys.length - 1)),
    forgery('only the sponsor signs', ({ header }) => {
      header[0] = 1;
      header[1] = 0;
    }),
    forgery('a wallet that may be written to without need, or may not', ({ header }) => {
      header[1] = header[1] === 0 ? 1 : 0;
    }),
    forgery('the sponsor twice', ({ keys }) => (keys[1] = keys[0]!)),
    forgery('the wallet twice', ({ keys }) => (keys[0] = keys[1]!)),
    forgery('a thief in the place of the wallet', ({ keys }) => (keys[1] = THIEF.toBytes())),
    { name: 'a third signer without a part', message: withSigner(honest, THIEF, 2) },
    { name: 'a first signer without a part', message: withSigner(honest, THIEF, 0) },
    { name: 'the sponsor behind a signer without a part', message: withSigner(honest, THIEF, 1) },
  ];
}

/** Adds a signer to a message that no instruction names. */
function withSigner(message: Uint8Array, signer: PublicKey, at: number): Uint8Array {
  const parts = partsOf(message);
  parts.keys.splice(at, 0, signer.toBytes());
  parts.header[0] += 1;
  if (at > 0) parts.header[1] += 1;
  const shifted = (index: number) => (index >= at ? index + 1 : index);
  for (const instruction of parts.instructions) {
    instruction.program = shifted(instruction.program);
    instruction.accounts = instruction.accounts.map(shifted);
  }
  return encodeMessage(parts);
}
