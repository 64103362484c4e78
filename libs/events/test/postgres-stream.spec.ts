import { openEventConsumer, openEventPublisher } from '../src/index.js';
import { describeStream, type TestStream } from './stream-contract.js';
import { openProducerAndLog, openTestDatabase, silent } from './support.js';

const POSTGRES = { kind: 'postgres' } as const;

async function openStream(): Promise<TestStream> {
  const test = await openTestDatabase();
  const { producer: database, log } = await openProducerAndLog(test);
  return {
    publisher: () => openEventPublisher(POSTGRES, { database, source: 'wallet', logger: silent }),
    consumer: () => openEventConsumer(POSTGRES, { database, consumer: 'history', logger: silent }),
    close: async () => {
      await database.close();
      await log.close();
      await test.close();
    },
  };
}

describeStream('Postgres', openStream);
