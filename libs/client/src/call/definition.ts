import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** Safety of repeating a call, from the proto's idempotency_level. */
export type MethodSafety = 'NO_SIDE_EFFECTS' | 'IDEMPOTENT' | 'UNSAFE';

/** A method as it is generated. */
export interface MethodDefinition<Request, Response> {
  readonly name: string;
  readonly requestType: { encode(message: Request, writer?: BinaryWriter): BinaryWriter };
  readonly responseType: { decode(input: BinaryReader | Uint8Array, length?: number): Response };
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly options: { readonly idempotencyLevel?: 'NO_SIDE_EFFECTS' | 'IDEMPOTENT' };
}

/** A service as it is generated: `historyV1.HistoryServiceDefinition` and so on. */
export interface ServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition<never, unknown>>>;
}

/** Returns the safety of repeating a method's call; UNSAFE when its proto does not state it. */
export function safetyOf({ options }: Pick<MethodDefinition<never, unknown>, 'options'>): MethodSafety {
  return options.idempotencyLevel ?? 'UNSAFE';
}
