/**
 * The same asked for twice within one blockhash would be the same bytes, so the same signature, and happen once. The
 * random end of the operation's id tells them apart; should two agree by chance, the later message cannot be stored and
 * is built anew until a new blockhash makes it another one.
 */
export function saltOf(operationId: string): number {
  return Number.parseInt(operationId.slice(-4), 16);
}
