/** Whether this is a run of `npm run nightly`, which has time for every case and draws random seeds. */
export const isNightly = process.env['NIGHTLY'] === '1';

/**
 * Returns the cases that a test goes through: all of them at night, and in the gate only those that `gate` names. For
 * cases whose steps are already tested one by one elsewhere, and that each cost a kill of a process.
 *
 * @example describe.each(casesOf(STEPS, { gate: ['transfer.after-broadcast'] }))
 * @throws Error when `gate` names a case that does not exist
 */
export function casesOf<Case>(all: readonly Case[], { gate }: { readonly gate: readonly Case[] }): readonly Case[] {
  const unknown = gate.find((each) => !all.includes(each));
  if (unknown !== undefined) throw new Error(`${String(unknown)} is not one of the cases.`);
  return isNightly ? all : gate;
}

/**
 * Returns how often a property is tried: `inGate` times in the gate, ten times as often at night.
 *
 * @example await fc.assert(property, { numRuns: propertyRuns(40) });
 */
export function propertyRuns(inGate: number): number {
  return inGate * Number(process.env['PROPERTY_RUNS_FACTOR'] ?? 1);
}

/**
 * Returns the seed of random choices in tests: fixed in the gate, so that the same tree gives the same run, and another
 * one each night.
 */
export function testSeed(): number {
  return Number(process.env['TEST_SEED'] ?? 1);
}
