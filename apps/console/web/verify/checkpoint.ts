import { fromBase64, fromHex, isGenuine } from '@agent-wallet/audit';
import type { Chain } from './chain.js';
import type { Finding, KeyMemory, ProofCheckpoint } from './report.js';

/** Result of the check of all checkpoints of one chain. */
export interface CheckpointVerdict {
  /** Events that a genuine checkpoint covers, of those that were read. */
  readonly covered: number;
  readonly findings: readonly Finding[];
  /** Whether the browser lacks Ed25519. */
  readonly isUnsupported: boolean;
}

/** The checkpoints of one chain: pages that are read over a while bring several. */
export class Checkpoints {
  readonly #seen = new Map<string, ProofCheckpoint>();

  /** Takes the checkpoint of a page. */
  add(checkpoint: ProofCheckpoint | null): void {
    if (checkpoint) this.#seen.set(JSON.stringify(checkpoint), checkpoint);
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Verifies every checkpoint against its key, the pinned key and the chain. Pins the first genuine key. */
  async finish(chain: Chain, memory: KeyMemory): Promise<CheckpointVerdict> {
    const findings: Finding[] = [];
    let [covered, isUnsupported] = [0, false];
    for (const checkpoint of this.#seen.values()) {
      const isSigned = await isSignedCheckpoint(chain.subject, checkpoint);
      if (isSigned === undefined) {
        isUnsupported = true;
        continue;
      }
      const problems = isSigned ? problemsOf(chain, checkpoint, memory) : [forged(chain.subject, checkpoint)];
      if (problems.length === 0) {
        if (chain.at(checkpoint.size)) covered = Math.max(covered, checkpoint.size);
        if (memory.read() === undefined) memory.write(checkpoint.keyId);
      }
      findings.push(...problems);
    }
    return { covered, findings: withLongestEnd(findings), isUnsupported };
  }
}

/** Verifies the signature of a checkpoint; undefined where the browser cannot. */
export async function isSignedCheckpoint(
  subject: string,
  { size, rootHash, signature, keyId, signedAt }: ProofCheckpoint,
): Promise<boolean | undefined> {
  if ([rootHash, signature, keyId, signedAt].some((text) => typeof text !== 'string')) return false;
  const [root, bytes] = [fromHex(rootHash), fromBase64(signature)];
  if (!root || !bytes) return false;
  const signedAtMs = Date.parse(signedAt);
  return isGenuine({ scope: `agent:${subject}`, size, rootHash: root, signature: bytes, keyId, signedAtMs });
}

function forged(subject: string, { size, keyId }: ProofCheckpoint): Finding {
  return { code: 'checkpoint_forged', subject, size, keyId };
}

function problemsOf(chain: Chain, { size, keyId, rootHash, signedAt }: ProofCheckpoint, memory: KeyMemory): Finding[] {
  const { subject, end } = chain;
  const pinned = memory.read();
  if (pinned !== undefined && pinned !== keyId) return [{ code: 'checkpoint_key_changed', subject, keyId, pinned }];
  if (size > end) return [{ code: 'end_missing', subject, events: end, size }];
  const found = chain.at(size);
  if (!found || found.hash === rootHash) return [];
  const { eventId, sequence } = found;
  return [{ code: 'checkpoint_differs', subject, eventId, sequence, signedAt }];
}

/** Keeps of the missing ends only that of the largest checkpoint. */
function withLongestEnd(findings: readonly Finding[]): Finding[] {
  const sizes = findings.map((finding) => (finding.code === 'end_missing' ? finding.size : 0));
  const longest = sizes.indexOf(Math.max(...sizes));
  return findings.filter(({ code }, n) => code !== 'end_missing' || n === longest);
}
