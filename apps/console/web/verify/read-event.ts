import { type Bytes, textOf } from '@agent-wallet/audit';

/** The fields of an event that are checked. */
export interface AuditEvent {
  readonly eventId: string;
  readonly agentId: string;
  /** Unix milliseconds. */
  readonly occurredAtMs: number;
  /** `agent`, or `owner` and the UUID; empty where it is not known. */
  readonly askedBy: string;
  /** Undefined where a newer service has written what this reader does not know. */
  readonly fact: Fact | undefined;
}

/** A fact, by its name in the generated types. */
export type Fact =
  | { readonly name: 'policyChanged'; readonly value: PolicyChanged }
  | { readonly name: 'operatorActed'; readonly value: OperatorActed }
  | { readonly name: 'approvalRequested'; readonly value: ApprovalRequested }
  | { readonly name: 'approvalDecided'; readonly value: ApprovalDecided }
  | { readonly name: 'approvalClosed'; readonly value: { readonly approvalId: string; readonly state: string } }
  | { readonly name: 'passkeyChanged'; readonly value: PasskeyChanged }
  | { readonly name: 'memberChanged'; readonly value: MemberChanged }
  | { readonly name: OtherFact };

/** A change of the policy. */
export interface PolicyChanged {
  readonly changes: readonly PolicyField[];
  /** The applied approval that it names; empty for none, and in events of older services. */
  readonly approvalId: string;
}

/** A field of the policy before and after. */
export interface PolicyField {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** An act of an operator, or of an owner without a change of policy. */
export interface OperatorActed {
  readonly operator: string;
  readonly action: string;
  /** The approval that it concerns; empty for none. */
  readonly approvalId: string;
}

/** A change that needs an owner's signature. */
export interface ApprovalRequested {
  readonly approvalId: string;
  readonly kind: string;
  readonly document: Bytes;
}

/** An owner's vote. */
export interface ApprovalDecided {
  readonly approvalId: string;
  readonly documentHash: Bytes;
  readonly ownerId: string;
  readonly credentialId: Bytes;
  readonly clientDataJson: Bytes;
  readonly authenticatorData: Bytes;
  readonly signature: Bytes;
  readonly outcome: string;
}

/** A passkey that was added or removed. */
export interface PasskeyChanged {
  readonly ownerId: string;
  readonly credentialId: Bytes;
  readonly action: string;
  readonly coseKey: Bytes;
  readonly attestationObject: Bytes;
}

/** An owner of an agent. */
export interface MemberChanged {
  readonly ownerId: string;
  readonly role: string;
  readonly action: string;
}

const OTHER_FACTS = {
  10: 'walletCreated',
  11: 'sessionStarted',
  12: 'sessionEnded',
  14: 'operationChanged',
  16: 'reservationCreated',
  17: 'reservationSettled',
  18: 'reservationReleased',
  19: 'orderFilled',
  20: 'messageSigned',
  30: 'tokenReused',
  31: 'tokenOpened',
  32: 'tokenEnded',
} as const;

/** A fact of which nothing is read but its name. */
export type OtherFact = (typeof OTHER_FACTS)[keyof typeof OTHER_FACTS];

/** Numbers of the fields in agentwallet/audit/v1/event.proto. */
const READERS: Readonly<Record<number, (message: Message) => Fact>> = {
  13: (message) => ({
    name: 'policyChanged',
    value: {
      changes: message
        .all(1)
        .map((change) => ({ field: change.text(1), before: change.text(2), after: change.text(3) })),
      approvalId: message.text(3),
    },
  }),
  15: (message) => ({
    name: 'operatorActed',
    value: { operator: message.text(1), action: message.text(2), approvalId: message.text(5) },
  }),
  21: (message) => ({
    name: 'approvalRequested',
    value: { approvalId: message.text(1), kind: message.text(2), document: message.bytes(3) },
  }),
  22: (message) => ({
    name: 'approvalDecided',
    value: {
      approvalId: message.text(1),
      documentHash: message.bytes(2),
      ownerId: message.text(3),
      credentialId: message.bytes(4),
      clientDataJson: message.bytes(5),
      authenticatorData: message.bytes(6),
      signature: message.bytes(7),
      outcome: message.text(8),
    },
  }),
  23: (message) => ({ name: 'approvalClosed', value: { approvalId: message.text(1), state: message.text(2) } }),
  24: (message) => ({
    name: 'passkeyChanged',
    value: {
      ownerId: message.text(1),
      credentialId: message.bytes(2),
      action: message.text(3),
      coseKey: message.bytes(4),
      attestationObject: message.bytes(5),
    },
  }),
  25: (message) => ({
    name: 'memberChanged',
    value: { ownerId: message.text(1), role: message.text(2), action: message.text(3) },
  }),
};
const FIRST_FACT = 10;
/** Number of the countersignature, by that of its fact. */
const COUNTERSIGNATURES: Readonly<Record<number, number>> = { 14: 12, 20: 4 };
const MAX_TAG = 0xffff_ffff;

/** Reads the serialized AuditEvent. @throws RangeError for bytes that are not one */
export function readEvent(payload: Bytes): AuditEvent {
  const message = new Message(payload);
  return {
    eventId: message.text(1),
    agentId: message.text(2),
    occurredAtMs: message.integer(3),
    askedBy: message.text(7),
    fact: factOf(message),
  };
}

/** Returns the last fact, as every reader of a oneof does. */
function factOf(message: Message): Fact | undefined {
  let fact: Fact | undefined;
  for (const { number, value } of message.fields) {
    if (typeof value === 'bigint' || number < FIRST_FACT) continue;
    const inner = new Message(value);
    const name = (OTHER_FACTS as Readonly<Record<number, OtherFact>>)[number];
    // Read for its bounds alone: the generated reader goes on behind the end of a message that is not well-formed.
    inner.all(COUNTERSIGNATURES[number] ?? 0);
    fact = READERS[number]?.(inner) ?? (name ? { name } : fact);
  }
  return fact;
}

/** A field as it stands in a message: a number, or bytes. */
interface Field {
  readonly number: number;
  readonly value: bigint | Bytes;
}

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
const FIXED_SIZES: Readonly<Record<number, number>> = { [FIXED_64]: 8, [FIXED_32]: 4 };

/** A message of protobuf's wire format. Fields that were not written have the empty value. */
class Message {
  readonly fields: Field[] = [];
  #at = 0;

  /** @throws RangeError */
  constructor(private readonly given: Bytes) {
    while (this.#at < given.length) this.#readField();
  }

  /** Returns the last value of a field, as every reader does. */
  bytes(number: number): Bytes {
    const value = this.fields.findLast((field) => field.number === number && typeof field.value !== 'bigint')?.value;
    return value === undefined || typeof value === 'bigint' ? new Uint8Array() : value;
  }

  text(number: number): string {
    return textOf(this.bytes(number));
  }

  integer(number: number): number {
    const value = this.fields.findLast((field) => field.number === number && typeof field.value === 'bigint')?.value;
    return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
  }

  /** Returns all values of a repeated message. */
  all(number: number): Message[] {
    return this.fields.flatMap((field) =>
      field.number === number && typeof field.value !== 'bigint' ? [new Message(field.value)] : [],
    );
  }

  #readField(): void {
    const tag = Number(this.#varint());
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    if (number === 0 || tag > MAX_TAG) throw new RangeError('a field has a number');
    if (type === VARINT) {
      this.fields.push({ number, value: this.#varint() });
      return;
    }
    const fixed = FIXED_SIZES[type];
    if (fixed === undefined && type !== BYTES) throw new RangeError('a field has an unknown type');
    const start = fixed === undefined ? Number(this.#varint()) : fixed;
    const end = this.#at + start;
    if (end > this.given.length) throw new RangeError('a field ends behind its message');
    if (type === BYTES) this.fields.push({ number, value: this.given.subarray(this.#at, end) });
    this.#at = end;
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.given[this.#at];
      if (byte === undefined) throw new RangeError('a number ends behind its message');
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number is too long');
  }
}
