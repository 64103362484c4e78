import type { ServiceName } from '@agent-wallet/platform';
import { METRICS, watch } from '@agent-wallet/telemetry';
import type { Kafka } from 'kafkajs';
import type { KafkaSettings } from '../settings.js';

/** Whose lag it is. */
interface Follower {
  readonly stream: KafkaSettings;
  readonly service: ServiceName;
  /** The member's own, so that the sum over all members is the group's lag. */
  readonly partitions: () => readonly number[];
}

/** Measures the distance of a group member from the ends of its partitions, as the brokers report it. */
export function watchKafkaLag(kafka: Kafka, { stream, service, partitions }: Follower): { stop(): void } {
  const { topic, consumerGroup: groupId } = stream;
  const admin = kafka.admin();
  const look = async () => {
    const own = new Set(partitions());
    await admin.connect();
    const [ends, committed] = await Promise.all([
      admin.fetchTopicOffsets(topic),
      admin.fetchOffsets({ groupId, topics: [topic] }),
    ]);
    const reached = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
    let lag = 0n;
    for (const { partition, high, low } of ends) {
      if (own.has(partition)) lag += BigInt(high) - larger(BigInt(low), reached.get(partition) ?? 0n);
    }
    return [{ metric: METRICS.streamLag, value: Number(lag) }];
  };
  const watched = watch({ service, look });
  const stop = () => {
    watched.stop();
    void admin.disconnect().catch(() => undefined);
  };
  return { stop };
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
