import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** What a repeat of a call does, as the proto's idempotency_level says it. */
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

/** What a repeat of a method's call does; UNSAFE when its proto does not say. */
export function safetyOf({ options }: Pick<MethodDefinition<never, unknown>, 'options'>): MethodSafety {
  return options.idempotencyLevel ?? 'UNSAFE';
}
