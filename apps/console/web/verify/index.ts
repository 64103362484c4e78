import type { FactName } from '@agent-wallet/audit';
import type { Approvals } from './approvals.js';
import { Chain, type TakenEvent } from './chain.js';
import { Checkpoints, type CheckpointVerdict } from './checkpoint.js';
import type { Finding, KeyMemory, NotChecked, ProofPage, Report } from './report.js';

export type { Finding, KeyMemory, NotChecked, ProofPage, Report } from './report.js';

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

/** Facts that concern owners. */
const OF_OWNERS: ReadonlySet<FactName | undefined> = new Set([
  'policyChanged',
  'operatorActed',
  'approvalRequested',
  'approvalDecided',
  'approvalClosed',
  'passkeyChanged',
  'memberChanged',
]);

/** Verifies the chain of an agent, its checkpoints and what owners have signed. @throws what `readPage` throws */
export async function verifyAgent(verification: Verification): Promise<Report> {
  const { agentId, origin, readPage, readOwnerPage, readableOwners, memory } = verification;
  const wasPinned = memory.read() !== undefined;
  const { Approvals } = await import('./approvals.js');
  const approvals = new Approvals(origin);
  const agent = await readChain(verification, { subject: agentId, readPage, approvals });
  const owners: ChainVerdict[] = [];
  const named = readOwnerPage ? [...approvals.owners] : [];
  const read = new Set(named.filter((ownerId) => readableOwners?.has(ownerId) ?? true));
  for (const ownerId of read) {
    const readPage = (after?: string) => readOwnerPage!(ownerId, after);
    owners.push(await readChain(verification, { subject: ownerId, readPage, approvals }));
  }
  const signed = await approvals.finish(read);
  const chains = [agent, ...owners];
  const { chain, checkpoints } = agent;
  const notChecked = new Set([...NEVER_CHECKED, ...chains.flatMap(notCheckedOf), ...signed.notChecked]);
  if (!wasPinned) notChecked.add('checkpoint_key_owner');
  return {
    events: chain.events,
    checked: { chain: chain.intact, checkpoint: checkpoints.covered, signatures: signed.verified },
    findings: [...chains.flatMap(({ findings }) => findings), ...signed.findings],
    notChecked: [...notChecked],
  };
}

/** A chain that was read to its end. */
interface ChainVerdict {
  readonly chain: Chain;
  readonly checkpoints: CheckpointVerdict & { readonly seen: number };
  readonly findings: readonly Finding[];
}

/** Reading of one chain. */
interface Reading {
  readonly subject: string;
  readonly readPage: (after?: string) => Promise<ProofPage>;
  readonly approvals: Approvals;
}

async function readChain({ memory, onProgress }: Verification, reading: Reading): Promise<ChainVerdict> {
  const { subject, readPage, approvals } = reading;
  const [chain, checkpoints] = [new Chain(subject), new Checkpoints()];
  const ofOwners: TakenEvent[] = [];
  const cursors = new Set<string>();
  for (let after: string | undefined; ;) {
    const page = await readPage(after);
    const taken = chain.add(page);
    if (!taken) break;
    ofOwners.push(...taken.filter(({ event }) => OF_OWNERS.has(event.fact?.$case)));
    checkpoints.add(page.checkpoint);
    onProgress?.({ subject, events: chain.events });
    await pause();
    if (!page.hasMore) break;
    after = page.events.at(-1)?.eventId;
    if (after === undefined || cursors.has(after)) {
      chain.noteEndless();
      break;
    }
    cursors.add(after);
  }
  // A page in a wrong order is reported as such: what it says about owners is read in the order of its numbers.
  ofOwners.sort((a, b) => a.sequence - b.sequence).forEach((taken) => approvals.add(taken));
  const verdict = await checkpoints.finish(chain, memory);
  const findings = [...chain.finish(), ...verdict.findings];
  return { chain, checkpoints: { ...verdict, seen: checkpoints.size }, findings };
}

function notCheckedOf({ chain, checkpoints: { covered, seen, isUnsupported } }: ChainVerdict): NotChecked[] {
  if (isUnsupported) return ['ed25519_unsupported'];
  if (chain.events === 0) return [];
  if (seen === 0) return ['no_checkpoint'];
  return covered < chain.end ? ['events_after_checkpoint'] : [];
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
