import { newId } from '@agent-wallet/kernel';
import { ChangeFeed } from '../src/application/changes/change-feed.js';
import type { StreamReader } from '../src/application/changes/change-stream.js';
import {
  ChangeStreams,
  type ChangeStreamsParts,
  type StreamBounds,
} from '../src/application/changes/change-streams.js';
import { ScriptedLog } from './scripted-log.js';

const AMPLE: StreamBounds = { streams: 10_000, agents: 100_000, ofPrincipal: 1_000 };

interface Choices {
  readonly bounds?: Partial<StreamBounds>;
  /** Agents of each owner. */
  readonly agents?: ReadonlyMap<string, readonly string[]>;
  readonly timing?: Pick<ChangeStreamsParts, 'random' | 'scheduler'>;
}

/** Creates the streams of a process over an empty log, for readers whose sessions never end. */
export function createStreams({ bounds, agents, timing }: Choices): ChangeStreams {
  const feed = new ChangeFeed(new ScriptedLog().script);
  feed.onJoin(() => void feed.round());
  const parts: ChangeStreamsParts = {
    feed,
    owners: { agents: async (ownerId) => (agents?.get(ownerId) ?? []).map((agentId) => ({ agentId })) as never },
    sessions: { standing: async (ids) => new Set(ids) },
    ownerSessions: { standing: async (hashes) => new Set(hashes.map((each) => each.toString('hex'))) },
    ...timing,
  };
  return new ChangeStreams(parts, { ...AMPLE, ...bounds });
}

/** Returns an agent of its own network, with a session. */
export function agentReader(part: { client?: string; agentId?: string; tokenId?: string } = {}): StreamReader {
  const agent = { kind: 'agent', agentId: newId(), sessionId: newId(), tokenId: undefined, client: newId() } as const;
  return { ...agent, ...part };
}
