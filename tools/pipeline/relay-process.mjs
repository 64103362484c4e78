// A service's relay, alone.
import { openEventPublisher, startRelay } from '@agent-wallet/events';
import { logger, readTask, ready } from './part.mjs';

const { database, stream } = readTask('wallet');
await ready();
startRelay(database, openEventPublisher(stream, { database, source: 'wallet', logger }), logger);
