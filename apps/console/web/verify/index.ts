import { LogVerifier, OwnerSignatures, type ProofPage, ProofPages, type Verdict } from '@agent-wallet/audit';
import type { Finding, KeyMemory, NotChecked, Report } from './report.js';

export type { Finding, KeyMemory, NotChecked, Report } from './report.js';

/** Events that are verified before the browser has a turn. */
const AT_ONCE = 100;

/** Progress of a verification. */
export interface Progress {
  /** Agent or owner whose chain is read. */
  readonly subject: string;
  /** Events of that chain that were read. */
  readonly events: number;
}

/** A verification of one agent. */
export interface Verification {
  /** UUID in lower case. */
  readonly agentId: string;
  /** Origin of the owners' console. */
  readonly origin: string;
  /** Reads a page of the agent's chain. @param after the last event of the page before */
  readonly readPage: (after?: string) => Promise<ProofPage>;
  /** Reads a page of the chain of an owner, who has the passkeys; without it no signature of an owner is verified. */
  readonly readOwnerPage?: ((ownerId: string, after?: string) => Promise<ProofPage>) | undefined;
  /** Owners whose chains can be read; all when omitted. */
  readonly readableOwners?: ReadonlySet<string> | undefined;
  readonly memory: KeyMemory;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Facts that no page shows, or that a browser cannot know. */
const NEVER_CHECKED: readonly NotChecked[] = [
  'log_chain',
  'earlier_reads',
  'event_types',
  'times',
  'counters',
  'operations',
  'countersignatures',
];

/** Verifies the chain of an agent, its checkpoints and what owners have signed. @throws what `readPage` throws */
export async function verifyAgent(verification: Verification): Promise<Report> {
  const { agentId, origin, readPage, readOwnerPage, readableOwners, memory } = verification;
  const wasPinned = memory.read() !== undefined;
  const signatures = new OwnerSignatures(origin);
  const agent = await readChain(verification, { subject: agentId, readPage, signatures });
  const owners: ChainVerdict[] = [];
  const named = signatures.owners;
  const readable = readOwnerPage ? [...named] : [];
  const read = new Set(readable.filter((ownerId) => readableOwners?.has(ownerId) ?? true));
  for (const ownerId of read) {
    const readPage = (after?: string) => readOwnerPage!(ownerId, after);
    owners.push(await readChain(verification, { subject: ownerId, readPage, signatures }));
  }
  const signed = await signatures.finish(read);
  const chains = [agent, ...owners];
  const notChecked = new Set([...NEVER_CHECKED, ...chains.flatMap(notCheckedOf), ...signed.unverified]);
  if ([...named].some((ownerId) => !read.has(ownerId))) notChecked.add('owner_chains');
  if (!wasPinned) notChecked.add('checkpoint_key_owner');
  return {
    events: agent.events,
    checked: { chain: agent.intact, checkpoint: agent.covered, signatures: signed.verified },
    findings: [...chains.flatMap(({ findings }) => findings), ...signed.findings],
    notChecked: [...notChecked],
  };
}

/** A chain that was read to its end. */
type ChainVerdict = Omit<Verdict, 'findings'> & { readonly findings: readonly Finding[] };

/** Reading of one chain. */
interface Reading {
  readonly subject: string;
  readonly readPage: (after?: string) => Promise<ProofPage>;
  readonly signatures: OwnerSignatures;
}

async function readChain({ memory, onProgress }: Verification, reading: Reading): Promise<ChainVerdict> {
  const { subject, readPage, signatures } = reading;
  const pages = new ProofPages(subject);
  let after: string | undefined;
  do {
    after = pages.add(await readPage(after));
    onProgress?.({ subject, events: pages.events.length });
    await pause();
  } while (after !== undefined);
  const { events, checkpoints } = pages;
  const surroundings = { batches: undefined, checkpoints, keyId: memory.read(), hasOneKey: true };
  const verifier = await LogVerifier.create(surroundings);
  for (const [n, event] of events.entries()) {
    verifier.add(event);
    signatures.add(event);
    if (n % AT_ONCE === 0) await pause();
  }
  const verdict = verifier.finish();
  if (verdict.keyId !== undefined && memory.read() === undefined) memory.write(verdict.keyId);
  return { ...verdict, findings: [...pages.findings, ...verdict.findings] };
}

function notCheckedOf({ events, covered, checkpoints, unverified }: ChainVerdict): NotChecked[] {
  if (unverified > 0) return ['algorithm_unsupported'];
  if (events === 0) return [];
  if (checkpoints === 0) return ['no_checkpoint'];
  return covered < events ? ['events_after_checkpoint'] : [];
}

/** Lets the browser answer its user. A timer would wait for a second in a page that is in the background. */
function pause(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
