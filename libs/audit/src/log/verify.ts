import { isSame } from '../bytes.js';
import { readEvent } from '../read-event.js';
import { AgentChain } from './agent-chain.js';
import { BatchChain } from './batch-chain.js';
import type { ChainCause } from './cause.js';
import { isGenuine } from './checkpoint.js';
import { eventHash } from './hashes.js';
import { disorderOf } from './order.js';
import type { Finding, StoredBatch, StoredCheckpoint, StoredEvent } from './records.js';

/** Batches, checkpoints and key with which events are verified. */
export interface Surroundings {
  /** Undefined where only one agent's events are seen. */
  readonly batches: readonly StoredBatch[] | undefined;
  readonly checkpoints: readonly StoredCheckpoint[];
  /** Base58 of the only key that checkpoints may be signed with; undefined for any. */
  readonly keyId: string | undefined;
  /** Whether the first genuine checkpoint sets the key where none is given. */
  readonly hasOneKey?: boolean;
}

/** Result of a verification. */
export interface Verdict {
  readonly events: number;
  /** Events whose hash and payload agree. */
  readonly intact: number;
  /** Events under a checkpoint that fits. */
  readonly covered: number;
  /** Checkpoints whose signature this browser or Node.js cannot verify. */
  readonly unverified: number;
  /** Key of a checkpoint that fits; undefined without one. */
  readonly keyId: string | undefined;
  readonly agents: number;
  readonly checkpoints: number;
  /** Events that no checkpoint covers yet: of these a thief with the database could make others. */
  readonly unsigned: number;
  /** The first in the order of the log; nothing when all is well. */
  readonly findings: readonly Finding[];
}

interface Place {
  readonly number: number;
  readonly event: StoredEvent;
}

/** Checks a log, event by event, from its bytes alone. It trusts nothing but the key that it is given. */
export class LogVerifier {
  readonly #agents = new Map<string, AgentChain>();
  readonly #batches: BatchChain | undefined;
  readonly #signed = new Map<string, StoredCheckpoint[]>();
  readonly #signedSizes = new Map<string, number>();
  readonly #findings: Finding[] = [];
  readonly #suspects: { readonly event: StoredEvent; readonly cause: ChainCause; readonly owner: string }[] = [];
  #position = 0;
  #events = 0;
  #misplaced: Place[] | undefined;
  readonly #covered = new Map<string, number>();
  #unverified = 0;
  #expectedKey: string | undefined;
  #keyId: string | undefined;

  private constructor(private readonly around: Surroundings) {
    this.#expectedKey = around.keyId;
    this.#batches = around.batches && new BatchChain(around.batches);
  }

  /** Verifies the checkpoints, and returns a verifier of the events. */
  static async create(around: Surroundings): Promise<LogVerifier> {
    const verifier = new LogVerifier(around);
    const signed = await Promise.all(around.checkpoints.map(isGenuine));
    around.checkpoints.forEach((checkpoint, n) => verifier.#addCheckpoint(checkpoint, signed[n]));
    return verifier;
  }

  #addCheckpoint(checkpoint: StoredCheckpoint, isSigned: boolean | undefined): void {
    const { scope, size, keyId } = checkpoint;
    const expected = this.#expectedKey ?? keyId;
    if (isSigned === undefined) {
      this.#unverified += 1;
      return;
    }
    if (expected !== keyId || !isSigned) {
      const cause: ChainCause =
        expected === keyId
          ? { code: 'checkpoint_signature_invalid' }
          : { code: 'checkpoint_key_differs', keyId, expected };
      const agentId = scope === 'log' ? undefined : scope.slice('agent:'.length);
      this.#findings.push({ problem: 'forged', record: 'checkpoint', agentId, sequence: size, cause });
      return;
    }
    if (this.around.hasOneKey) this.#expectedKey = keyId;
    this.#signedSizes.set(scope, Math.max(size, this.#signedSizes.get(scope) ?? 0));
    const place = `${scope}:${size}`;
    this.#signed.set(place, [...(this.#signed.get(place) ?? []), checkpoint]);
  }

  /** Takes the next event, in the order in which they stand. */
  add(event: StoredEvent): void {
    this.#events += 1;
    if (event.position !== undefined) this.#place(event, event.position);
    const { cause, owner } = whatIsWrong(event);
    if (cause) {
      this.#suspects.push({ event, cause, owner });
      return;
    }
    this.#chainOf(event.agentId).add(event);
    this.#compare(`agent:${event.agentId}:${event.sequence}`, event.hash, event);
  }

  #place(event: StoredEvent, position: number): void {
    if (this.#misplaced || position !== this.#position + 1) {
      (this.#misplaced ??= []).push({ number: position, event });
      return;
    }
    this.#position = position;
    this.#batches?.add(event.hash);
  }

  #chainOf(agentId: string): AgentChain {
    let chain = this.#agents.get(agentId);
    if (!chain)
      this.#agents.set(agentId, (chain = new AgentChain(agentId, this.#signedSizes.get(`agent:${agentId}`) ?? 0)));
    return chain;
  }

  /** Compares a hash with the signed checkpoints of this place, which must have the same hash. */
  #compare(place: string, hash: Uint8Array, { position, eventId, agentId, sequence }: Partial<StoredEvent>): void {
    for (const { rootHash, signedAtMs, keyId } of this.#signed.get(place) ?? []) {
      if (isSame(rootHash, hash)) {
        this.#keyId ??= keyId;
        if (agentId !== undefined) this.#covered.set(agentId, Math.max(sequence!, this.#covered.get(agentId) ?? 0));
        continue;
      }
      const cause = { code: 'differs_from_checkpoint', signedAtMs } as const;
      this.#findings.push({ problem: 'altered', record: 'event', position, eventId, agentId, sequence, cause });
    }
    this.#signed.delete(place);
  }

  /** Returns the verdict, with findings in the order of the log. */
  finish(): Verdict {
    for (const scope of this.#signedSizes.keys()) if (scope !== 'log') this.#chainOf(scope.slice('agent:'.length));
    const missing = this.#finishChains();
    this.#finishSuspects(missing);
    this.#finishPlaces(missing);
    this.#finishLog();
    const findings = this.#findings.map((finding, n) => ({ finding, n }));
    const placeOf = ({ position, sequence }: Finding) => position ?? (this.#batches ? LAST : (sequence ?? LAST));
    findings.sort((a, b) => placeOf(a.finding) - placeOf(b.finding) || a.n - b.n);
    const { size: agents } = this.#agents;
    const verdict = {
      ...{ events: this.#events, intact: this.#events - this.#suspects.length, agents },
      ...{ checkpoints: this.around.checkpoints.length, unverified: this.#unverified, keyId: this.#keyId },
      covered: [...this.#covered.values()].reduce((sum, size) => sum + size, 0),
    };
    return { ...verdict, unsigned: this.#unsigned(), findings: findings.map(({ finding }) => finding) };
  }

  #finishChains(): Map<string, Set<number>> {
    const missing = new Map<string, Set<number>>();
    for (const chain of this.#agents.values()) {
      const problems = chain.finish();
      this.#findings.push(...problems.findings);
      if (problems.missing.length > 0) missing.set(chain.agentId, new Set(problems.missing));
    }
    return missing;
  }

  /**
   * Classifies events with a wrong hash. Each stands for a missing event; those beyond the missing ones were inserted.
   */
  #finishSuspects(missing: Map<string, Set<number>>): void {
    const isFull = this.#batches !== undefined && this.#events <= this.#batches.end;
    for (const { event, cause, owner } of this.#suspects) {
      const { position, eventId, agentId, sequence } = event;
      const gap = missing.get(agentId) ?? missing.get(owner);
      const problem = isFull || (gap && gap.size > 0) ? 'altered' : 'inserted';
      if (gap) gap.delete(gap.has(sequence) ? sequence : [...gap][0]!);
      this.#findings.push({ problem, record: 'event', position, eventId, agentId, sequence, cause });
    }
  }

  #finishPlaces(missing: ReadonlyMap<string, ReadonlySet<number>>): void {
    const lost = [...missing].flatMap(([agentId, numbers]) => [...numbers].map((sequence) => ({ agentId, sequence })));
    const { excluded, missing: places } = disorderOf(this.#misplaced ?? [], this.#position + 1);
    const end = this.#batches?.end ?? Infinity;
    const beyond = (this.#misplaced ?? []).filter(({ number }) => number > end);
    const strays = [...new Set([...excluded, ...beyond])];
    // As many places are empty as events stand in wrong ones: nothing is missing.
    const isOnlyMoved = lost.length === 0 && strays.length > 0 && places.length > 0;
    for (const { event } of strays) {
      const { eventId, agentId, sequence, position } = event;
      const [problem, place] = isOnlyMoved ? (['reordered', places[0]] as const) : (['inserted', position] as const);
      const cause = { code: 'position_not_due', position: position! } as const;
      this.#findings.push({ problem, record: 'event', position: place, eventId, agentId, sequence, cause });
    }
    if (isOnlyMoved) return;
    const tail = this.#misplaced || this.#position >= (this.#batches?.end ?? 0) ? [] : [this.#position + 1];
    const gaps = [...places, ...tail];
    const count = Math.max(gaps.length, lost.length);
    for (let n = 0; n < count; n += 1) {
      const named = gaps.length <= 1 && lost.length <= 1 ? lost[0] : gaps.length === 0 ? lost[n] : undefined;
      const cause: ChainCause = named ? { code: 'number_missing', number: named.sequence } : { code: 'position_empty' };
      this.#findings.push({ problem: 'missing', record: 'event', position: gaps[n], ...named, cause });
    }
  }

  /** Batches are held against events only when none of these is missing or altered; then what is signed and not there. */
  #finishLog(): void {
    const ofEvents = this.#findings.filter(({ record }) => record === 'event');
    const areInPlace = !this.#misplaced && ofEvents.every(({ problem }) => problem === 'reordered');
    const wrong = areInPlace ? this.#batches?.finish() : undefined;
    // Of events in a wrong order the batches know which two it was.
    if (wrong?.problem === 'reordered')
      this.#findings.splice(0, Infinity, wrong, ...this.#findings.filter(({ record }) => record !== 'event'));
    else if (wrong && ofEvents.length === 0) this.#findings.push(wrong);
    for (const { lastPosition, hash } of this.around.batches ?? []) {
      this.#compare(`log:${lastPosition}`, hash, { position: lastPosition });
    }
    for (const [{ scope, size, signedAtMs } = { scope: 'log', size: 0, signedAtMs: 0 }] of this.#signed.values()) {
      if (scope === 'log' && !this.around.batches) continue;
      const agentId = scope === 'log' ? undefined : scope.slice('agent:'.length);
      // What is wrong with the event of this place is reported already.
      if (this.#findings.some((found) => found.record === 'event' && found.agentId === agentId)) continue;
      const cause = { code: 'signed_events_missing', size, signedAtMs } as const;
      const record = scope === 'log' ? 'batch' : 'event';
      const position = scope === 'log' ? size : undefined;
      this.#findings.push({
        problem: 'missing',
        record,
        agentId,
        position,
        sequence: (agentId && size) || undefined,
        cause,
      });
    }
  }

  #unsigned(): number {
    let count = 0;
    for (const { agentId, size } of this.#agents.values())
      count += Math.max(0, size - (this.#signedSizes.get(`agent:${agentId}`) ?? 0));
    return count;
  }
}

/** Behind everything that has a place. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Returns how an event differs from its payload, and its owner by its payload. */
function whatIsWrong(event: StoredEvent): { readonly cause?: ChainCause; readonly owner: string } {
  const { agentId, eventId, occurredAtMs, payload } = event;
  let owner = agentId;
  try {
    const inside = readEvent(payload);
    owner = inside.agentId.toLowerCase();
    if (inside.eventId.toLowerCase() !== eventId) return { owner, cause: { code: 'id_differs' } };
    if (owner !== agentId) return { owner, cause: { code: 'agent_differs' } };
    const isLate = occurredAtMs !== undefined && BigInt(occurredAtMs) !== inside.occurredAtMs;
    if (isLate) return { owner, cause: { code: 'time_differs' } };
  } catch {
    return { owner, cause: { code: 'payload_unreadable' } };
  }
  const computed = eventHash(event);
  const isItself = computed !== undefined && isSame(computed, event.hash);
  return isItself ? { owner } : { owner, cause: { code: 'hash_differs' } };
}
