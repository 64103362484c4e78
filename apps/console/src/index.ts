export { type ConsoleSettings, consoleSettings } from './settings.js';
export { type ConsoleFacts, type RunningConsole, startConsole } from './start.js';
