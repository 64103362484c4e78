import { AttestationPolicyError, AttestationRefused } from '@agent-wallet/attestation';
import { signerV1 } from '@agent-wallet/contracts';
import { keyFromBase58, toBase58 } from '@agent-wallet/contracts/audit';
import { AppError } from '@agent-wallet/kernel';
import { type Environment, loadTls, openRpcClient, SettingsError } from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { UsageError } from '../command-line.js';
import type { Print } from '../print.js';
import { signerPlace } from '../settings.js';
import { traceBoot, type TracedBoot } from './trace-boot.js';

const HELP = `Usage: npm run ops -- boot <key> [--policy FILE]

Says which boot of the signer gave a signature: when it began, behind which vault, with which program. The key is the
ephemeralKey of the countersignature, in base58 or hex.

  --policy FILE   verifies the evidence that the boot left at its start, as npm run attest:verify does
  --help          this text

It asks the signer at SIGNER_ADDRESS with TLS_{CA,CERT,KEY}_PATH (of the name ops), or, without it, that of the deployment in
DATA_DIR (default .data). It ends with 0 when the boot is known and nothing is wrong with it, 1 when not, 2 when it was not
understood.`;

const HEX_KEY = /^[0-9a-f]{64}$/i;

/** Carries out one command line. @returns the exit code: 0 known, 1 not known or refused, 2 not understood */
export async function runBoot(args: readonly string[], environment: Environment, print: Print): Promise<number> {
  try {
    const order = readOrder(args);
    if (order === 'help') {
      print(HELP);
      return 0;
    }
    const policy = order.policy === undefined ? undefined : await readFile(order.policy, 'utf8');
    const traced = traceBoot(order.key, await findBoot(order.key, environment), policy);
    report(traced, { key: order.key, isVerified: policy !== undefined }, print);
    return traced.refused ? 1 : 0;
  } catch (error) {
    print(textOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

function readOrder(args: readonly string[]): { readonly key: Buffer; readonly policy: string | undefined } | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [text = '', ...more] = positionals;
  if (more.length > 0) throw new UsageError(`${more[0]} is one word too many.`);
  const key = HEX_KEY.test(text) ? Buffer.from(text, 'hex') : keyFromBase58(text);
  if (!key) throw new UsageError('boot takes the key of a boot, in base58 or hex.');
  return { key: Buffer.from(key), policy: values.policy };
}

function parse(args: readonly string[]) {
  try {
    const options = { policy: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function findBoot(ephemeralKey: Buffer, environment: Environment): Promise<signerV1.FindBootResponse> {
  const { signerAddress: address, tls } = await signerPlace(environment);
  const definition = signerV1.SignerServiceService;
  const signer = openRpcClient({ definition, peer: { address, service: 'signer' }, tls: await loadTls(tls) });
  try {
    return await signer.findBoot({ ephemeralKey });
  } finally {
    signer.close();
  }
}

function report(
  { statement, evidence, startedAtMs, refused }: TracedBoot,
  { key, isVerified }: { readonly key: Buffer; readonly isVerified: boolean },
  print: Print,
): void {
  print(`boot     ${toBase58(key)} (hex ${key.toString('hex')})`);
  print(`began    ${new Date(startedAtMs).toISOString()}`);
  print(`vault    ${statement.driver} (${statement.isolation})`);
  print(`program  ${Buffer.from(statement.buildDigest).toString('hex')}`);
  print(`evidence ${evidence.format}, key ${evidence.keyId}`);
  if (refused) print(`REFUSED  ${refused.check}: ${refused.message}`);
  else print(isVerified ? 'accepted' : 'its evidence was not verified: --policy says what is accepted');
}

function textOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${HELP}`;
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  if (error instanceof AttestationRefused) return `REFUSED  ${error.check}: ${error.message}`;
  if (error instanceof SettingsError || error instanceof AttestationPolicyError) return error.message;
  return `Not known: ${error instanceof Error ? error.message : String(error)}`;
}
