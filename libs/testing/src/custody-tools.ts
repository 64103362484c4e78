import { spawnSync } from 'node:child_process';
import path from 'node:path';

const TOOL = path.join(import.meta.dirname, '..', '..', '..', 'tools', 'custody', 'install.mjs');
/** Exit code of the tool when something is missing and cannot be installed. */
const CANNOT_RUN = 6;

/**
 * Reports whether this machine has a software TPM, after an attempt to install one. Without one, it prints that tests
 * are skipped; with REQUIRE_CUSTODY=1 it throws.
 * @example
 * const describeWithTpm = where(describe, { name: 'a TPM in software (swtpm and tpm2-tools)', isMet: canUseTpm() });
 */
export function canUseTpm(): boolean {
  return installed('tpm', 'a TPM') !== undefined;
}

/** Does what {@link canUseTpm} does for a software security module, and the native package that talks to it. */
export function canUseHsm(): boolean {
  return installed('hsm', 'a security module') !== undefined;
}

/** Returns the path of SoftHSM's module. @throws Error where it is not installed */
export function softHsmModule(): string {
  const file = installed('hsm', 'a security module');
  if (file === undefined) throw new Error('There is no SoftHSM here.');
  return file;
}

/** By kind, as the tool answered. It starts a program for each thing that it looks for, so it is asked once in a process. */
const answers = new Map<string, string | undefined>();

function installed(kind: string, what: string): string | undefined {
  if (!answers.has(kind)) answers.set(kind, install(kind, what));
  return answers.get(kind);
}

function install(kind: string, what: string): string | undefined {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, kind], { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  const why = stderr.trim();
  if (status !== CANNOT_RUN || process.env['REQUIRE_CUSTODY'] === '1') throw new Error(why);
  process.stderr.write(`\nSKIPPED: tests with ${what}. ${why}\n\n`);
  return undefined;
}
