import { silent } from '@agent-wallet/platform/testing';
import { canUseTpm, where, openTestTpm, useOwnTemporaryFolder } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import childProcess, { type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { openTpm2Vault } from '../../src/adapters/vaults/tpm2/index.js';

/** Every program that was started: its arguments, its whole environment, and the files that were there when it ended. */
const started: string[] = [];
const programs: string[] = [];

function filesOfWork(): string[] {
  const folders = readdirSync(os.tmpdir()).filter((name) => name.startsWith('agent-wallet-tpm-'));
  return folders
    .map((name) => path.join(os.tmpdir(), name))
    .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'latin1')));
}

const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn: (program: string, args: string[], options: SpawnOptions) => {
    const child = spawn(program, args, options);
    programs.push(program);
    started.push(JSON.stringify({ program, args, env: options.env }));
    child.once('exit', () => started.push(...filesOfWork()));
    return child;
  },
});
syncBuiltinESMExports();
afterAll(() => {
  childProcess.spawn = spawn;
  syncBuiltinESMExports();
});

const describeWithTpm = where(describe, { name: 'a TPM in software (swtpm and tpm2-tools)', isMet: canUseTpm() });

describeWithTpm('the tools of a TPM', () => {
  afterAll(useOwnTemporaryFolder());
  let tpm: Awaited<ReturnType<typeof openTestTpm>>;
  beforeAll(async () => void (tpm = await openTestTpm()));
  afterAll(() => tpm.stop());

  it('are given secrets by their standard input, never as arguments, in the environment or in files', async () => {
    process.env['DATABASE_PASSWORD_OF_TEST'] = 'hush';
    const choice = { driver: 'tpm2', tcti: tpm.tcti, pcrs: 'sha256:0', timeoutMs: 20_000 } as const;
    const vault = await openTpm2Vault(choice, silent);
    const secret = randomBytes(32);
    expect(await vault.unseal(await vault.seal(secret))).toEqual(secret);
    await vault.evidence(randomBytes(32));
    expect(programs).toEqual(expect.arrayContaining(['tpm2_create', 'tpm2_unseal', 'tpm2_quote']));
    const written = started.join('\n');
    for (const encoding of ['latin1', 'hex', 'base64', 'base64url'] as const)
      expect(written.includes(secret.toString(encoding))).toBe(false);
    expect(written).not.toContain('hush');
    // It would have been seen: this is what the files and arguments of the work do hold.
    expect(written).toContain('BEGIN PUBLIC KEY');
  });
});
