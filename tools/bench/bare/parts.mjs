// The parts that a transfer cannot do without, each as bare as Node has it: what they cost, as often as a transfer needs them.
import { buildMessage } from '@agent-wallet/solana';
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { newAddress, transferIntent } from '../intent.mjs';
import { cpuRound, productProcess } from '../measure/cpu.mjs';
import { sum } from '../measure/pairs.mjs';
import { openHttpCaller } from '../traffic/http-caller.mjs';
import { openGrpcHop } from './grpc.mjs';
import { startPeer } from './peer.mjs';
import { carryEvents, CONNECTIONS, EVENT_BATCH, openBareDatabase, ROW_STATEMENTS, writeRows } from './statements.mjs';

const CALLERS = 32;
/** To the wallet; from it to policy twice, Authorize and Settle; to the signer. */
const GRPC_CALLS = 4;
/** Sending one; reading accounts and outcomes is shared by many at once, and comes to about one more. */
const CHAIN_CALLS = 2;
/** Policy signs a permit, the signer a message and a countersignature; the next in line hashes and verifies each. */
const SIGNATURES = 3;
/** Events of a transfer: pending, submitted and confirmed, and policy's reservation and its end. */
const EVENTS = 5;

/**
 * Opens them beside a deployment. How often a transfer needs each was counted in the services under load: what each transfer
 * must do for itself counts, what the product adds beside (notices, deposits, leases) does not.
 * @returns for each `times` a transfer, its `load` for `cpuRound`, and how many of it a `call` does, unless it is one
 */
export async function openParts({ infrastructure: { postgres, certificates } }) {
  const [json, hop, pool] = await Promise.all([openJson(), openGrpcHop(certificates), openBareDatabase(postgres)]);
  const ofPostgres = (process) => (productProcess(process) === 'postgres itself' ? 'postgres' : undefined);
  const hopOf = (process) => (hop.isPeer(process) ? 'the other end' : undefined);
  const both = { callers: CALLERS, countsUs: true };
  const rows = { ...both, callers: CONNECTIONS, call: () => writeRows(pool), nameOf: ofPostgres };
  const events = { ...rows, callers: 1, call: () => carryEvents(pool) };
  const ours = (call) => ({ callers: 1, countsUs: true, call });
  return [
    // The client of the product does not count, and neither does the chain.
    { name: 'JSON request, answered', times: 1, load: { callers: CALLERS, call: json.call, nameOf: json.nameOf } },
    { name: 'JSON request to the chain', times: CHAIN_CALLS, load: { ...both, call: json.call } },
    { name: 'gRPC call with mutual TLS', times: GRPC_CALLS, load: { ...both, call: hop.call, nameOf: hopOf } },
    { name: 'SQL statement on one row', times: ROW_STATEMENTS, ofACall: ROW_STATEMENTS, load: rows },
    { name: 'event, outbox to record', times: EVENTS, ofACall: EVENT_BATCH, load: events },
    { name: 'ES256 token, verified', times: 1, load: ours(openTokenCheck()) },
    { name: 'message, built', times: 1, load: ours(openBuild()) },
    { name: 'SHA-256, Ed25519 signed, verified', times: SIGNATURES, load: ours(openSigning()) },
  ];
}

/** Measures one round of every part. Returns `each`, the CPU of one call, and `cpuUs`, that of a whole transfer. */
export async function costOfParts(parts, durationMs) {
  const each = [];
  for (const { load, ofACall = 1 } of parts) each.push((await cpuRound({ ...load, durationMs })).cpuUs / ofACall);
  return { each, cpuUs: sum(each.map((us, i) => us * parts[i].times)) };
}

async function openJson() {
  const { port, isPeer } = await startPeer('json-server.mjs');
  const caller = openHttpCaller(`http://127.0.0.1:${port}`, CALLERS);
  const body = JSON.stringify({ to: newAddress(), amount: 0.01, mint: 'USDC' });
  const call = async () => {
    const { status, text } = await caller.post('/', body);
    if (status !== 200 || !JSON.parse(text).status) throw new Error(`the bare server answered ${status}`);
  };
  return { call, nameOf: (process) => (isPeer(process) ? 'the other end' : undefined) };
}

function openTokenCheck() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encoded = (part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const ecdsa = (key) => ({ key, dsaEncoding: 'ieee-p1363' });
  const signed = `${encoded({ alg: 'ES256', kid: '0001' })}.${encoded({ sub: newAddress(), exp: 4_000_000_000 })}`;
  const token = `${signed}.${sign('sha256', Buffer.from(signed), ecdsa(privateKey)).toString('base64url')}`;
  return () => {
    const [header, payload, signature] = token.split('.');
    const isGood = verify('sha256', `${header}.${payload}`, ecdsa(publicKey), Buffer.from(signature, 'base64url'));
    const [{ alg }, { exp }] = [header, payload].map((part) => JSON.parse(Buffer.from(part, 'base64url')));
    if (!isGood || alg !== 'ES256' || exp * 1_000 < Date.now()) throw new Error('the bare token is none');
  };
}

/** By our own builder: the SDK's costs several times as much, and would flatter the product. */
function openBuild() {
  const [intent, blockhash] = [transferIntent(), newAddress()];
  return () => buildMessage({ intent, blockhash });
}

function openSigning() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const message = buildMessage({ intent: transferIntent(), blockhash: newAddress() });
  return () => {
    createHash('sha256').update(message).digest();
    if (!verify(null, message, publicKey, sign(null, message, privateKey))) throw new Error('a bare signature is none');
  };
}
