import type { AgentWallet } from '@agent-wallet/sdk';
import { randomBytes } from 'node:crypto';
import type { Command } from '../command.js';
import { EXITS } from '../exit-codes.js';
import { HistoryChain } from '../history-chain.js';
import { pairs } from '../view.js';

const PAGE = 100;

async function readChain(wallet: AgentWallet) {
  const chain = new HistoryChain();
  for (let after: string | undefined; ;) {
    const page = await wallet.get('/wallets/me/history/proof', { query: { limit: PAGE, after } });
    chain.add(page);
    // A checkpoint may cover events that were recorded while the page was read.
    const isBehind = page.events.length > 0 && (page.checkpoint?.size ?? 0) > chain.length;
    if ((page.hasMore || isBehind) && page.lastEventId && page.lastEventId !== after) {
      after = page.lastEventId;
      continue;
    }
    if (page.checkpoint) await chain.check(page.agentId, page.checkpoint);
    return { chain, checkpoint: page.checkpoint };
  }
}

export const verify: Command = {
  usage: 'verify',
  summary: 'Show what the service claims of itself, and check the chain of your history',
  examples: [['verify', 'Check the hashes of your history and the signature of its checkpoint']],
  run: async (context) => {
    const wallet = context.wallet();
    const nonce = randomBytes(32).toString('hex');
    const attestation = await wallet.get('/attestation', { query: { nonce } });
    const { chain, checkpoint } = await readChain(wallet);
    const holds = chain.problems.length === 0;
    const result = { holds, events: chain.length, problems: chain.problems, checkpoint, attestation };
    context.output.result(result, ({ time }) =>
      pairs([
        ['History', `${chain.length} events, ${holds ? 'the chain holds' : 'the chain is BROKEN'}`],
        ...chain.problems.map((problem) => ['Problem', problem] as const),
        ['Checkpoint', checkpoint ? `${checkpoint.size} events, ${time(checkpoint.signedAt)}` : 'none yet'],
        ['Signed by', checkpoint?.keyId],
        ['Vault', `${attestation.driver}, ${attestation.isolation}`],
        ['Signers', `${attestation.replicas.length} answered, ${attestation.unanswered} did not`],
        ...attestation.replicas.map(({ buildDigest }) => ['Build', `${buildDigest} (claimed)`] as const),
      ]),
    );
    return (holds ? EXITS.done : EXITS.unexpected).code;
  },
};
