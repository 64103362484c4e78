import { TOKEN_PROGRAM } from '@agent-wallet/solana/checks';
import { THIEF, walletOf } from './actors.js';
import { compile, encode, type MessageParts, partsOf } from './draft.js';
import type { Forgery } from './forgery.js';
import type { Scenario } from './scenarios.js';

/** Messages that no honest builder writes: wrong headers, keys, versions, lengths. */
export function forgedBytes({ draft }: Scenario): Forgery[] {
  const { message, resolvedAddresses } = compile(draft);
  const bytes = (name: string, changed: Uint8Array): Forgery => ({ name, message: changed, resolvedAddresses });
  const parts = (name: string, tamper: (parts: MessageParts) => void): Forgery => {
    const tampered = partsOf(draft).parts;
    tamper(tampered);
    return bytes(name, encode(tampered));
  };
  const byHeader = (name: string, place: 0 | 1 | 2, by: number) =>
    parts(name, ({ header }) => {
      header[place] += by;
    });
  return [
    byHeader('one signer more', 0, 1),
    byHeader('one signer less', 0, -1),
    byHeader('one signer less that can be written to', 1, 1),
    byHeader('one account less that can be written to', 2, 30),
    byHeader('more readonly accounts than accounts', 2, 200),
    parts('the version of older messages', (all) => {
      all.prefix = [];
      all.lookups = [];
    }),
    parts('version 1', (all) => (all.prefix = [0x81])),
    parts('the version twice', (all) => (all.prefix = [0x80, 0x80])),
    parts('a byte at the end', (all) => all.suffix.push(0)),
    parts('an unused account', (all) => {
      all.keys.push(walletOf('unused'));
      all.header[2] += 1;
      shift(all, all.keys.length - 1);
    }),
    parts('a key twice', (all) => {
      all.keys.push(all.keys.at(-1)!);
      all.header[2] += 1;
      shift(all, all.keys.length - 1);
    }),
    parts('the token program writable', (all) => {
      const at = all.keys.indexOf(TOKEN_PROGRAM);
      if (at >= 0) all.header[2] = Math.max(0, all.keys.length - at - 1);
      else all.header[0] = 0;
    }),
    parts('the first signer is a thief', (all) => (all.keys[0] = THIEF)),
    parts('a table without entries, and with a thief', (all) => {
      all.lookups.push({ table: walletOf('empty'), writable: [0], readonly: [] });
    }),
    bytes('no bytes', new Uint8Array()),
    bytes('cut in half', message.subarray(0, message.length / 2)),
    bytes('one byte short', message.subarray(0, -1)),
    bytes('a whole second message behind it', Buffer.concat([message, message])),
    bytes('the prefix of an off-chain message', Buffer.concat([Buffer.from('\xffsolana offchain', 'latin1'), message])),
  ];
}

/** Indexes at and behind a place move by one: a key was put in there. */
function shift({ instructions }: MessageParts, from: number): void {
  for (const instruction of instructions) {
    instruction.accounts = instruction.accounts.map((index) => (index >= from ? index + 1 : index));
  }
}
