import type { TabProps } from '../agents/tab.js';
import { TEXTS } from '../texts.js';

/** Stands for the check of an agent's history; `./index.js` will be loaded when it starts. */
export default function VerifyPanel({ agentId }: TabProps) {
  return (
    <section aria-labelledby="proof" data-agent={agentId}>
      <h2 id="proof">{TEXTS.proof.title}</h2>
      <p>{TEXTS.proof.text}</p>
      <p className="notice">{TEXTS.proof.soon}</p>
    </section>
  );
}
