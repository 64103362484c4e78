export { freePort, freePorts } from './free-ports.js';
export { openTestDatabase, type TestConnection, type TestDatabase } from './test-database.js';
export { canRunKafka, openTestKafka, type SecureListener, type TestKafka } from './test-kafka.js';
export { stopTestServer } from './test-server.js';
