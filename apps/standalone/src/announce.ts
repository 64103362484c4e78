import type { RunningStandalone } from './start-standalone.js';
import { walkthrough } from './walkthrough.js';

/** Says to a person what runs, where, and what to try first; `more` comes after the address of the API. */
export function announce(running: RunningStandalone, more: readonly string[] = []): RunningStandalone {
  const lines = [`The API answers at     ${running.url}   (start with ${running.url}/skill.md)`, ...more];
  if (running.consoleUrl) lines.push(`Owners look and decide ${running.consoleUrl}`);
  if (running.adminUrl) {
    lines.push(
      `Mail lands in          ${running.adminUrl}/inbox?to=EMAIL`,
      '',
      'This is the sandbox: no money here is real, and keys are sealed by software, not by hardware.',
      'Paste this into another shell to watch an agent log in, receive money, send it, trade and bet:',
      '',
      walkthrough(running.url, running.adminUrl),
    );
  }
  process.stdout.write(`\n${lines.join('\n')}\n\nCtrl-C stops everything.\n`);
  return running;
}
