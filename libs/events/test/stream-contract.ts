import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventConsumer, EventRecord, OpenEventPublisher } from '../src/index.js';
import { firstSeen, newId, numberedEvent, numbersOf, numberOf } from './support.js';

/** A stream of its own for one test. */
export interface TestStream {
  /** Another replica that publishes. */
  publisher(): OpenEventPublisher;
  /** Another replica of the one consumer. */
  consumer(): EventConsumer;
  close(): Promise<void>;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** What every adapter guarantees, over any transport. */
export function describeStream(name: string, open: () => Promise<TestStream>): void {
  describe(`the event stream in ${name}`, () => {
    let stream: TestStream;
    const consumers: EventConsumer[] = [];
    const publishers: OpenEventPublisher[] = [];

    beforeEach(async () => void (stream = await open()));
    afterEach(async () => {
      await Promise.all([...consumers.splice(0).map((c) => c.stop()), ...publishers.splice(0).map((p) => p.close())]);
      await stream.close();
    });

    function publisher(): OpenEventPublisher {
      const made = stream.publisher();
      publishers.push(made);
      return made;
    }

    function consume(handle: (events: readonly EventRecord[]) => Promise<void>): EventConsumer {
      const consumer = stream.consumer();
      consumers.push(consumer);
      consumer.start(handle);
      return consumer;
    }

    function collect(): EventRecord[] {
      const seen: EventRecord[] = [];
      consume(async (events) => void seen.push(...events));
      return seen;
    }

    it('delivers events as they were published, those of an agent in their order', async () => {
      const agents = range(1, 5).map(newId);
      const seen = collect();
      const out = publisher();
      const published: EventRecord[] = [];
      for (const round of [range(1, 3), range(4, 4), range(5, 30)]) {
        const events = round.flatMap((n) => agents.map((agentId) => numberedEvent(agentId, n)));
        await out.publish(events);
        published.push(...events);
      }
      await eventually(() => firstSeen(seen).length >= published.length);
      for (const agentId of agents) expect(numbersOf(firstSeen(seen), agentId)).toEqual(range(1, 30));
      const bytes = (events: EventRecord[]) => new Map(events.map((e) => [e.eventId, Buffer.from(e.payload)]));
      expect(bytes(seen)).toEqual(bytes(published));
    });

    it('takes nothing for granted of an empty batch', async () => {
      await publisher().publish([]);
    });

    it('takes events of several publishers at once', async () => {
      const seen = collect();
      const agents = [newId(), newId(), newId()];
      await Promise.all(
        agents.map(async (agentId) => {
          const out = publisher();
          for (const n of range(1, 10)) await out.publish([numberedEvent(agentId, n)]);
        }),
      );
      await eventually(() => firstSeen(seen).length >= 30);
      for (const agentId of agents) expect(numbersOf(firstSeen(seen), agentId)).toEqual(range(1, 10));
    });

    it('takes the most that a relay publishes at once, and hands on no more than 500 events at a time', async () => {
      const agentId = newId();
      const room = 1_048_576 / 500;
      const events = range(1, 500).map((n) => numberedEvent(agentId, n, 'x'.repeat(room - 120)));
      const sizes: number[] = [];
      const seen: EventRecord[] = [];
      const out = publisher();
      await out.publish(events);
      await out.publish([numberedEvent(agentId, 501)]);
      consume(async (batch) => {
        sizes.push(batch.length);
        seen.push(...batch);
      });
      await eventually(() => firstSeen(seen).length >= 501);
      expect(numbersOf(firstSeen(seen), agentId)).toEqual(range(1, 501));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    });

    it('hands the same events on again until they are handled, and nothing behind them before', async () => {
      const agentId = newId();
      await publisher().publish(range(1, 3).map((n) => numberedEvent(agentId, n)));
      const tries: number[][] = [];
      consume(async (events) => {
        tries.push(events.map(({ payload }) => numberOf(payload)));
        if (tries.length < 3) throw new Error('the database was away');
      });
      await eventually(() => tries.length >= 1);
      await publisher().publish([numberedEvent(agentId, 4)]);
      await eventually(() => tries.length >= 3 && tries.at(-1)?.at(-1) === 4);
      expect(tries.slice(0, 2).map((numbers) => numbers[0])).toEqual([1, 1]);
      expect(tries[2]!.slice(0, 3)).toEqual([1, 2, 3]);
    });

    it('goes on behind what was handled when a consumer starts again', async () => {
      const agentId = newId();
      const out = publisher();
      const seen: EventRecord[] = [];
      const first = consume(async (events) => void seen.push(...events));
      await out.publish(range(1, 5).map((n) => numberedEvent(agentId, n)));
      await eventually(() => seen.length >= 5);
      await first.stop();
      await out.publish(range(6, 8).map((n) => numberedEvent(agentId, n)));
      const later = collect();
      await eventually(() => later.length >= 3);
      expect(numbersOf(later, agentId)).toEqual([6, 7, 8]);
    });

    it('lets the batch in progress finish when it stops, and hands it to no other consumer', async () => {
      const agentId = newId();
      const out = publisher();
      let begun = 0;
      let finish = () => {};
      const slow = consume(async () => {
        begun += 1;
        await new Promise<void>((resolve) => (finish = resolve));
      });
      await out.publish([numberedEvent(agentId, 1)]);
      await eventually(() => begun === 1);
      let isStopped = false;
      const stopped = slow.stop().then(() => (isStopped = true));
      await out.publish([numberedEvent(agentId, 2)]);
      expect(isStopped).toBe(false);
      finish();
      await stopped;
      const rest = collect();
      await eventually(() => rest.length >= 1);
      expect({ begun, rest: numbersOf(rest, agentId) }).toEqual({ begun: 1, rest: [2] });
    });

    it('stops while its handler fails, and leaves the batch to the next', async () => {
      const agentId = newId();
      await publisher().publish([numberedEvent(agentId, 1)]);
      let tries = 0;
      const failing = consume(async () => {
        tries += 1;
        throw new Error('the database is away');
      });
      await eventually(() => tries >= 1);
      await failing.stop();
      const seen = collect();
      await eventually(() => seen.length >= 1);
      expect(numbersOf(seen, agentId)).toEqual([1]);
    });

    it('loses nothing and keeps the order of an agent while consumers come and go', async () => {
      const agents = range(1, 8).map(newId);
      const out = publisher();
      const seen: EventRecord[] = [];
      const handle = async (events: readonly EventRecord[]) => void seen.push(...events);
      const leaving = consume(handle);
      consume(handle);
      const arrived = async (n: number) => eventually(() => firstSeen(seen).length >= n * agents.length);
      for (const n of range(1, 20)) {
        await out.publish(agents.map((agentId) => numberedEvent(agentId, n)));
        if (n === 5) await arrived(5);
        if (n === 10) await leaving.stop();
        if (n === 15) consume(handle);
      }
      await arrived(20);
      for (const agentId of agents) expect(numbersOf(firstSeen(seen), agentId)).toEqual(range(1, 20));
    });
  });
}
