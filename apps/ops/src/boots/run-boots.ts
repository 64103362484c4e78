import { AttestationPolicyError, AttestationRefused } from '@agent-wallet/attestation';
import { signerV1 } from '@agent-wallet/contracts';
import { keyFromBase58, toBase58 } from '@agent-wallet/contracts/audit';
import { AppError } from '@agent-wallet/kernel';
import { type Environment, loadTls, openRpcClient, SettingsError } from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { UsageError } from '../command-line.js';
import { type Print, toJsonText } from '../print.js';
import { signerPlace } from '../settings.js';
import { traceBoot, type TracedBoot } from './trace-boot.js';

const HELP = `Usage: npm run ops -- boots get <key> [--policy FILE] [--json]

Shows which boot of the signer gave a signature: when it started, with which vault and which program. The key is the
ephemeralKey of the countersignature, in base58 or hex.

  --policy FILE   verifies the evidence of that boot, as npm run attest:verify does
  --json          prints one JSON document
  --help          this text

The command calls the signer at SIGNER_ADDRESS with TLS_{CA,CERT,KEY}_PATH (of the name ops). Without SIGNER_ADDRESS it uses
the deployment in DATA_DIR (default .data). Exit codes: 0 the boot is known and accepted, 1 it is not, 2 wrong command line.`;

const HEX_KEY = /^[0-9a-f]{64}$/i;

/** Runs one command line. @returns the exit code: 0 known and accepted, 1 not known or refused, 2 wrong command line */
export async function runBoots(args: readonly string[], environment: Environment, print: Print): Promise<number> {
  const wantsJson = args.includes('--json');
  try {
    const input = readInput(args);
    if (input === 'help') {
      print(HELP);
      return 0;
    }
    const policy = input.policy === undefined ? undefined : await readFile(input.policy, 'utf8');
    const traced = traceBoot(input.key, await getBoot(input.key, environment), policy);
    const asked = { key: input.key, isVerified: policy !== undefined };
    if (wantsJson) print(toJsonText(toJson(traced, asked)));
    else linesOf(traced, asked).forEach((line) => print(line));
    return traced.refused ? 1 : 0;
  } catch (error) {
    print(wantsJson ? toJsonText({ error: { message: messageOf(error) } }) : textOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

interface BootsInput {
  readonly key: Buffer;
  readonly policy: string | undefined;
}

function readInput(args: readonly string[]): BootsInput | 'help' {
  const { values, positionals } = parse(args);
  if (values.help || positionals.length === 0) return 'help';
  const [verb, text = '', ...more] = positionals;
  if (verb !== 'get') throw new UsageError(`Unknown command: boots ${verb}.`);
  if (more.length > 0) throw new UsageError(`${more[0]} is one argument too many.`);
  const key = HEX_KEY.test(text) ? Buffer.from(text, 'hex') : keyFromBase58(text);
  if (!key) throw new UsageError('boots get takes the key of a boot, in base58 or hex.');
  return { key: Buffer.from(key), policy: values.policy };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  try {
    const options = { policy: { type: 'string' }, json: flag, help: { ...flag, short: 'h' } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function getBoot(ephemeralKey: Buffer, environment: Environment): Promise<signerV1.GetBootResponse> {
  const { signerAddress: address, tls } = await signerPlace(environment);
  const definition = signerV1.SignerServiceService;
  const signer = openRpcClient({ definition, peer: { address, service: 'signer' }, tls: await loadTls(tls) });
  try {
    return await signer.getBoot({ ephemeralKey });
  } finally {
    signer.close();
  }
}

interface Asked {
  readonly key: Buffer;
  readonly isVerified: boolean;
}

function toJson({ statement, evidence, startedAtMs, refused }: TracedBoot, { key, isVerified }: Asked): object {
  return {
    key: toBase58(key),
    startedAt: new Date(startedAtMs).toISOString(),
    vault: { driver: statement.driver, isolation: statement.isolation },
    program: Buffer.from(statement.buildDigest).toString('hex'),
    evidence: { format: evidence.format, keyId: evidence.keyId, isVerified },
    refused: refused ? { check: refused.check, message: refused.message } : null,
  };
}

function linesOf({ statement, evidence, startedAtMs, refused }: TracedBoot, { key, isVerified }: Asked): string[] {
  return [
    `boot     ${toBase58(key)} (hex ${key.toString('hex')})`,
    `started  ${new Date(startedAtMs).toISOString()}`,
    `vault    ${statement.driver} (${statement.isolation})`,
    `program  ${Buffer.from(statement.buildDigest).toString('hex')}`,
    `evidence ${evidence.format}, key ${evidence.keyId}`,
    refused
      ? `REFUSED  ${refused.check}: ${refused.message}`
      : isVerified
        ? 'accepted'
        : 'The evidence was not verified: --policy names what is accepted.',
  ];
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  if (error instanceof AttestationRefused) return `REFUSED  ${error.check}: ${error.message}`;
  if (error instanceof UsageError || error instanceof SettingsError || error instanceof AttestationPolicyError) {
    return error.message;
  }
  return `Not known: ${error instanceof Error ? error.message : String(error)}`;
}

function textOf(error: unknown): string {
  return error instanceof UsageError ? `${error.message}\n\n${HELP}` : messageOf(error);
}
