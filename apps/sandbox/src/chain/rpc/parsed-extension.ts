import { type Key, keyAt, keyText } from '../../encoding/keys.js';
import type { Extension } from '../token-layout.js';

/** A key of 32 zero bytes stands for none. */
const NO_KEY = '\0'.repeat(32);

interface Parser {
  readonly name: string;
  readonly state?: (value: Buffer) => Record<string, unknown>;
}

/** The extensions that decide whether a token can be trusted, by their number in the token-2022 program. */
const PARSERS: Readonly<Record<number, Parser>> = {
  1: { name: 'transferFeeConfig', state: transferFeeConfig },
  2: { name: 'transferFeeAmount', state: (value) => ({ withheldAmount: value.readBigUInt64LE(0) }) },
  3: { name: 'mintCloseAuthority', state: (value) => ({ closeAuthority: optional(value, 0) }) },
  6: { name: 'defaultAccountState', state: (value) => ({ accountState: value[0] === 2 ? 'frozen' : 'initialized' }) },
  7: { name: 'immutableOwner' },
  9: { name: 'nonTransferable' },
  10: { name: 'interestBearingConfig', state: interestBearingConfig },
  12: { name: 'permanentDelegate', state: (value) => ({ delegate: optional(value, 0) }) },
  13: { name: 'nonTransferableAccount' },
  14: { name: 'transferHook', state: (value) => ({ authority: optional(value, 0), programId: optional(value, 32) }) },
  15: { name: 'transferHookAccount', state: (value) => ({ transferring: value[0] === 1 }) },
  25: { name: 'scaledUiAmountConfig', state: scaledUiAmountConfig },
  26: { name: 'pausableConfig', state: (value) => ({ authority: optional(value, 0), paused: value[32] === 1 }) },
  27: { name: 'pausableAccount' },
};

/** An extension as jsonParsed writes it; those without a parser say so, as nodes do. */
export function parseExtension({ type, value }: Extension): Record<string, unknown> {
  const parser = PARSERS[type];
  if (!parser) return { extension: 'unparseableExtension' };
  return parser.state ? { extension: parser.name, state: parser.state(value) } : { extension: parser.name };
}

function transferFeeConfig(value: Buffer): Record<string, unknown> {
  return {
    newerTransferFee: transferFee(value.subarray(90, 108)),
    olderTransferFee: transferFee(value.subarray(72, 90)),
    transferFeeConfigAuthority: optional(value, 0),
    withdrawWithheldAuthority: optional(value, 32),
    withheldAmount: value.readBigUInt64LE(64),
  };
}

function interestBearingConfig(value: Buffer): Record<string, unknown> {
  return {
    currentRate: value.readInt16LE(50),
    initializationTimestamp: value.readBigInt64LE(32),
    lastUpdateTimestamp: value.readBigInt64LE(42),
    preUpdateAverageRate: value.readInt16LE(40),
    rateAuthority: optional(value, 0),
  };
}

function scaledUiAmountConfig(value: Buffer): Record<string, unknown> {
  return {
    authority: optional(value, 0),
    multiplier: String(value.readDoubleLE(32)),
    newMultiplier: String(value.readDoubleLE(48)),
    newMultiplierEffectiveTimestamp: value.readBigInt64LE(40),
  };
}

function transferFee(value: Buffer): Record<string, unknown> {
  return {
    epoch: value.readBigUInt64LE(0),
    maximumFee: value.readBigUInt64LE(8),
    transferFeeBasisPoints: value.readUInt16LE(16),
  };
}

function optional(value: Buffer, at: number): string | null {
  const key: Key = keyAt(value, at);
  return key === NO_KEY ? null : keyText(key);
}
