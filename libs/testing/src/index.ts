export { openTestDatabase, type TestConnection, type TestDatabase } from './test-database.js';
export { stopTestServer } from './test-server.js';
