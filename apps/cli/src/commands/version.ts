import type { Command } from '../command.js';
import { VERSION } from '../version.js';

export const version: Command = {
  usage: 'version',
  summary: 'Show the version of this program',
  examples: [['version', 'Show the version']],
  run: async ({ output }) => output.result({ version: VERSION }, () => VERSION),
};
