export { CannotListen } from './http/listen.js';
export { type RunningSandbox, startSandbox } from './start-sandbox.js';
export { type SandboxSettings, sandboxSettings } from './settings.js';
