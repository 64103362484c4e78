declare const brand: unique symbol;

/** A bigint that only its own constructors make, so that lamports and micro-dollars cannot be mixed up. */
export type Branded<Name extends string> = bigint & { readonly [brand]: Name };
