import { encodeQR } from 'qr';
import type { Surroundings } from './context.js';

/** Light modules around a code, without which readers miss it. */
const QUIET_ZONE = 4;

/** Draws a QR code with half blocks; undefined in a pipe, without UTF-8, and where the terminal is too narrow. */
export function qrCodeOf(text: string, { columns, env }: Surroundings): string | undefined {
  if (columns === undefined || !isUtf8(env)) return undefined;
  const code = encodeQR(text, 'ascii', { border: QUIET_ZONE }).trimEnd();
  return code.indexOf('\n') <= columns ? code : undefined;
}

/** Reports whether the locale is one of UTF-8; the first variable that is set decides. */
function isUtf8(env: Surroundings['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}
