const MICROS = 1_000_000n;

/** Micro-dollars as the exchange writes dollars: four decimals, up to six where they say something. */
export function dollarsText(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const size = micros < 0n ? -micros : micros;
  const decimals = (size % MICROS).toString().padStart(6, '0');
  return `${sign}${size / MICROS}.${decimals.slice(0, 4)}${decimals.slice(4).replace(/0+$/, '')}`;
}

/** Hundredths of a contract as the exchange writes counts: always two decimals. */
export function countText(hundredths: bigint): string {
  const sign = hundredths < 0n ? '-' : '';
  const size = hundredths < 0n ? -hundredths : hundredths;
  return `${sign}${size / 100n}.${(size % 100n).toString().padStart(2, '0')}`;
}
