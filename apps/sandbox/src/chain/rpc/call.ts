import { type Key, parseKey } from '../../encoding/keys.js';
import type { Chain, Commitment, View } from '../chain.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';

const COMMITMENTS: Readonly<Record<string, Commitment>> = {
  processed: 'processed',
  confirmed: 'confirmed',
  finalized: 'finalized',
  recent: 'processed',
  single: 'confirmed',
  singleGossip: 'confirmed',
  root: 'finalized',
  max: 'finalized',
};

/** Settings object of a call, before its fields are looked at. */
export type Config = Readonly<Record<string, unknown>>;

/** One call of a method: its parameters, and the state of the chain it may see. */
export class RpcCall {
  constructor(
    readonly chain: Chain,
    readonly view: View,
    private readonly params: readonly unknown[],
  ) {}

  /** A parameter that must be there. */
  required(index: number): unknown {
    const value = this.params[index];
    if (value === undefined || value === null) {
      throw new RpcError(RpcCode.invalidParams, '`params` should have at least ' + `${index + 1} argument(s)`);
    }
    return value;
  }

  optional(index: number): unknown {
    return this.params[index] ?? undefined;
  }

  /** A base58 address. */
  key(index: number): Key {
    return asKey(this.required(index));
  }

  /** A base58 signature. */
  signature(index: number): Key {
    return asSignature(this.required(index));
  }

  keys(index: number, most: number): Key[] {
    return this.list(index, most).map(asKey);
  }

  list(index: number, most: number): unknown[] {
    const list = this.required(index);
    if (!Array.isArray(list)) throw invalidParams('invalid type, expected a sequence');
    if (list.length > most) throw new RpcError(RpcCode.invalidParams, `Too many inputs provided; max ${most}`);
    return list;
  }

  unsigned(index: number): number {
    const value = this.required(index);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw invalidParams('expected u64');
    return value;
  }

  text(index: number): string {
    const value = this.required(index);
    if (typeof value !== 'string') throw invalidParams('expected a string');
    return value;
  }

  /** The settings object; some methods also take a bare commitment in its place. */
  config(index: number): Config {
    const value = this.optional(index);
    if (value === undefined) return {};
    if (typeof value === 'string') return { commitment: value };
    if (typeof value !== 'object' || Array.isArray(value)) throw invalidParams('invalid type, expected a map');
    return value as Config;
  }

  /** The commitment asked for; nodes take `finalized` when none is named. */
  commitment(config: Config, otherwise: Commitment = 'finalized'): Commitment {
    const name = config['commitment'];
    if (name === undefined || name === null) return otherwise;
    const commitment = typeof name === 'string' ? COMMITMENTS[name] : undefined;
    if (!commitment) throw invalidParams(`unknown variant \`${JSON.stringify(name)}\`, expected a commitment`);
    return commitment;
  }

  /** The slot whose state the answer is about; refuses when it is older than the caller demands. */
  slot(config: Config, otherwise?: Commitment): number {
    const slot = this.view[this.commitment(config, otherwise)];
    const least = config['minContextSlot'];
    if (least === undefined || least === null) return slot;
    if (typeof least !== 'number' || !Number.isInteger(least) || least < 0)
      throw invalidParams('minContextSlot: expected u64');
    if (slot >= least) return slot;
    const message = 'Minimum context slot has not been reached';
    throw new RpcError(RpcCode.minContextSlot, message, { contextSlot: slot });
  }

  /** The value with the slot it was read at. */
  answer(slot: number, value: unknown): { context: { apiVersion: string; slot: number }; value: unknown } {
    return { context: { apiVersion: NODE_VERSION, slot }, value };
  }
}

/** The version this node claims: current enough for clients that look. */
export const NODE_VERSION = '3.1.0';

/** Reads an address out of a parameter. */
export function asKey(value: unknown): Key {
  const parsed = parseKey(value);
  if (parsed === undefined) throw new RpcError(RpcCode.invalidParams, `Invalid param: ${invalidKey(value, 32)}`);
  return parsed;
}

/** Reads a signature out of a parameter. */
export function asSignature(value: unknown): Key {
  const parsed = parseKey(value, 64);
  if (parsed === undefined) throw new RpcError(RpcCode.invalidParams, `Invalid param: ${invalidKey(value, 64)}`);
  return parsed;
}

function invalidKey(value: unknown, length: number): string {
  return typeof value === 'string' && parseKey(value, length) === undefined ? 'WrongSize' : 'Invalid';
}
