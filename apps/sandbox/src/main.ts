import { runProcess } from './run-process.js';
import { sandboxSettings } from './settings.js';

await runProcess(sandboxSettings(process.env));
