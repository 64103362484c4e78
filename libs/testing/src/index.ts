export { type Algorithm, Authenticator, type Lies } from './authenticator.js';
export { needsBrowser, openBrowser } from './browser.js';
export { builtProgram } from './built-program.js';
export { canUseHsm, canUseTpm } from './custody-tools.js';
export { eventually } from './eventually.js';
export { freePort, freePorts } from '@agent-wallet/embedded';
export { useOwnTemporaryFolder } from './own-temporary-folder.js';
export { casesOf, isNightly, propertyRuns, testSeed } from './nightly.js';
export { keptInWorker } from './per-worker.js';
export { PagesRead } from './pages-read.js';
export { probeHealth, watchHealth } from './probe-health.js';
export {
  openTestCopy,
  openTestDatabase,
  type TestConnection,
  type TestDatabase,
  type TestTemplate,
} from './test-database.js';
export { openTestHsm, type TestHsm } from './test-hsm.js';
export { canRunKafka, openTestKafka, type SecureListener, type TestKafka } from './test-kafka.js';
export { stopTestServer } from './test-server.js';
export { scratchDirectory } from './scratch-directory.js';
export { noteStartedSystem } from './started-systems.js';
export { type Need, where } from './where-possible.js';
export { testCertificates } from './test-certificates.js';
export { type SandboxProcess, startSandboxProcess, TestSandbox } from './test-sandbox.js';
export { TestScheduler } from './test-scheduler.js';
export { openTestTpm, type TestTpm, type TpmHandles } from './test-tpm.js';
