/** Output of a tool that failed. */
interface TpmFailure {
  readonly tcti: string;
  readonly tool: string;
  /** Text on its standard error. */
  readonly complaint: string;
}

/** Response codes of TPM 2.0 (part 2, section 6.6), as the tools print them, and what an operator can do. */
const KNOWN: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /0x0*99d\b/i,
    'the registers (PCRs) are not what they were when the data key was sealed: this machine started something else, ' +
      'or measured something more, since. Start what was measured then; or open the data key with another seal of it ' +
      '(a recovery key, another vault) and seal it again',
  ],
  [/0x0*1df\b/i, 'what is to be opened was altered, or sealed by another TPM or before this one was cleared'],
  [/0x0*902\b/i, 'it has no room for objects: something else keeps them loaded; use /dev/tpmrm0, not /dev/tpm0'],
  [/0x0*903\b/i, 'it has no room for sessions: something else keeps them open; use /dev/tpmrm0, not /dev/tpm0'],
  [/0x0*921\b/i, 'it is locked after wrong authorizations (dictionary attack lockout)'],
  [/0x0*9a2\b|0x0*98e\b/i, 'its owner or endorsement hierarchy wants a password; this driver needs both without one'],
  [
    /tcti|connection refused|no such file or directory/i,
    'it cannot be reached; is it there, and may this user open it?',
  ],
];

/** Describes the failure in a sentence for an operator, which holds no input of the tool. */
export function describeTpmFailure({ tcti, tool, complaint }: TpmFailure): string {
  const known = KNOWN.find(([pattern]) => pattern.test(complaint))?.[1];
  const said = complaint
    .split('\n')
    .filter((line) => line.startsWith('ERROR'))
    .at(-2);
  return `the TPM at ${tcti} refused tpm2_${tool}: ${known ?? said ?? 'it did not say why'}`;
}
