import { createNitroEmulator, type NitroEmulator } from '@agent-wallet/attestation/nitro-emulator';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DocumentSource } from '../../src/adapters/vaults/nitro/document-command.js';
import { type EmulatorResponse, serveEmulator } from './emulator-server.js';

/*
 * An emulator of what a signer finds in a Nitro enclave, for tests: a command that gives attestation documents, made by an
 * emulated Nitro Security Module. There is no enclave behind it.
 */

export interface EnclaveEmulator {
  readonly nitro: NitroEmulator;
  /** Absolute path of the command. */
  readonly command: string;
  /** Documents without the command. */
  readonly documents: DocumentSource;
  /** What the enclave was last asked for, in base64. */
  asked: Record<string, string>;
  /** What the command prints instead, for as long as it is set. */
  instead: EmulatorResponse | undefined;
  /** Writes another command of a shell's lines. */
  script(name: string, lines: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startEnclaveEmulator(options: { nowMs: number; debugMode?: boolean }): Promise<EnclaveEmulator> {
  const nitro = await createNitroEmulator(options);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'enclave-'));
  const state = { asked: {} as Record<string, string>, instead: undefined as EmulatorResponse | undefined };
  const ask = (asked: Record<string, string>) => {
    state.asked = asked;
    const given = Object.entries(asked).map(([name, text]) => [name, Buffer.from(text, 'base64')]);
    return nitro.document(Object.fromEntries(given));
  };
  const documents: DocumentSource = async (request) => {
    const given = Object.entries(request as Record<string, Uint8Array>);
    return ask(Object.fromEntries(given.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])));
  };
  const server = await serveEmulator((_, body) => {
    const document = ask(JSON.parse(body.toString()) as Record<string, string>);
    return state.instead ?? { body: document };
  });
  const script = async (name: string, lines: string) => {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\n${lines}\n`, { mode: 0o700 });
    return file;
  };
  const client = path.join(folder, 'document.mjs');
  await writeFile(client, CLIENT.replace('URL_OF_EMULATOR', server.url));
  const command = await script('document', `exec '${process.execPath}' '${client}'`);
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return Object.assign(state, { nitro, command, documents, script, stop });
}

const CLIENT = `
const parts = [];
for await (const part of process.stdin) parts.push(part);
const answer = await fetch('URL_OF_EMULATOR', { method: 'POST', body: Buffer.concat(parts) });
process.stdout.write(Buffer.from(await answer.arrayBuffer()));
`;
