import { buildDigest, readAttestationPolicy, type Verdict, verifyReplicas } from '@agent-wallet/attestation';
import { jsonOf, readText, systemClock } from '@agent-wallet/kernel';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Print } from '../print.js';
import { readResponse } from './read-response.js';

const HELP = `Usage: npm run attest:verify -- --policy FILE --url URL
       npm run attest:verify -- --policy FILE --from FILE
       npm run attest:verify -- --build PATH

Asks a deployment what guards its keys, with a new nonce, and verifies the evidence of every replica of the signer.

  --policy FILE   what is accepted, as JSON: drivers, registers, keys, programs; docs/attestation.md has an example
  --url URL       the deployment, e.g. http://127.0.0.1:8080
  --save FILE     keeps nonce and answer, so that they can be verified again with --from
  --from FILE     verifies what was saved, or an answer of GET /attestation together with --nonce
  --nonce HEX     the nonce of the answer in --from, where the file does not say it
  --at TIME       the time at which certificates must be valid, ISO 8601 (default: now)
  --build PATH    prints the digest of a program, to compare it: of apps/signer/bundle/main.js, for example

It ends with 0 when every replica is accepted, 1 when one is not or is missing (and says which check failed), and 2 when it
could not be checked.`;

const NONCE_BYTES = 32;
const RESPOND_WITHIN_MS = 20_000;
/** Evidence of a replica is below half a megabyte. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** An answer, and the nonce that it must be bound to. */
interface Answered {
  readonly nonce: Buffer;
  readonly answer: unknown;
}

/** Carries out one command line. @returns the exit code: 0 accepted, 1 not accepted, 2 not checked */
export async function runAttest(args: readonly string[], print: Print): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.help) {
      print(HELP);
      return 0;
    }
    if (options.build !== undefined) {
      print((await buildDigest(options.build)).toString('hex'));
      return 0;
    }
    const verdict = await verify(options);
    report(verdict, print);
    return verdict.isAccepted ? 0 : 1;
  } catch (error) {
    print(`Not checked: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const files = { policy: text, from: text, save: text, build: text };
  const options = { ...files, url: text, nonce: text, at: text, help: { type: 'boolean', short: 'h' } } as const;
  return parseArgs({ args: [...args], options }).values;
}

async function verify(options: Options): Promise<Verdict> {
  if (options.policy === undefined) throw new Error('--policy is required; --help says more');
  const policy = readAttestationPolicy(await readFile(options.policy, 'utf8'));
  const nowMs = options.at === undefined ? systemClock.nowMs() : Date.parse(options.at);
  if (Number.isNaN(nowMs)) throw new Error('--at must be a time in ISO 8601');
  const { nonce, answer } = await answerOf(options);
  if (options.save !== undefined) {
    await writeFile(options.save, `${JSON.stringify({ nonce: nonce.toString('hex'), answer })}\n`);
  }
  return verifyReplicas(readResponse(answer), { nonce, nowMs, policy });
}

async function answerOf({ url, from, nonce }: Options): Promise<Answered> {
  if (from !== undefined) return savedAnswer(from, nonce);
  if (url === undefined) throw new Error('--url or --from is required; --help says more');
  const asked = randomBytes(NONCE_BYTES);
  const address = new URL('/attestation', url);
  address.searchParams.set('nonce', asked.toString('hex'));
  const response = await fetch(address, { signal: AbortSignal.timeout(RESPOND_WITHIN_MS) }).catch((cause: unknown) => {
    throw new Error(`${address.origin} cannot be reached`, { cause });
  });
  if (!response.ok) throw new Error(`${address.origin} answered ${response.status}`);
  return { nonce: asked, answer: jsonOf(await readText(response, MAX_RESPONSE_BYTES)) };
}

async function savedAnswer(file: string, nonce: string | undefined): Promise<Answered> {
  const saved = JSON.parse(await readFile(file, 'utf8')) as { nonce?: unknown; answer?: unknown };
  const text = nonce ?? saved.nonce;
  if (typeof text !== 'string' || !/^([0-9a-fA-F]{2})+$/.test(text)) {
    throw new Error('the nonce is not known: --nonce says it');
  }
  return { nonce: Buffer.from(text, 'hex'), answer: saved.answer ?? saved };
}

function report({ replicas, missing, isAccepted }: Verdict, print: Print): void {
  for (const verdict of replicas) {
    if ('refused' in verdict) {
      print(`REFUSED ${verdict.ephemeralKey}: ${verdict.refused.check}: ${verdict.refused.message}`);
      continue;
    }
    const { driver, isolation, buildDigest: digest } = verdict.statement;
    const program = Buffer.from(digest).toString('hex');
    print(`accepted ${verdict.ephemeralKey}: ${driver} (${isolation}), program ${program}`);
  }
  if (missing) print(`REFUSED: ${missing.check}: ${missing.message}`);
  if (isAccepted && replicas.some((verdict) => 'statement' in verdict && verdict.statement.driver === 'software')) {
    print(
      'SOFTWARE MODE: nothing but a file guards the keys, and its evidence proves nothing; the policy accepts that',
    );
  }
  print(isAccepted ? `accepted: ${replicas.length} replicas` : 'NOT ACCEPTED');
}
