import { ApiError, completeLogin, type StartedLogin, startLogin } from '@agent-wallet/sdk';
import { createInterface } from 'node:readline';
import { type Args, flag, optionalText, text } from '../args.js';
import type { Command } from '../command.js';
import type { Context } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { shownProfile } from '../profiles.js';
import { pairs } from '../view.js';
import { grantEntries } from './grant-entries.js';

const login: Command = {
  usage: 'login',
  summary: 'Mail a code, and exchange it for a session',
  examples: [
    ['login --email agent@example.com', 'Mail a code, and ask for it'],
    ['login --email agent@example.com --start', 'Mail a code, for programs that read the mail'],
    ['login --code 123456', 'Log in with the code that was mailed last'],
    ['login --profile trader', 'Create a profile, with a session and open requests of its own'],
  ],
  options: { email: 'Address that the code is mailed to', code: 'The code of the mail' },
  flags: { start: 'Only mail the code' },
  run: async (context, args) => {
    const code = optionalText(args, 'code');
    const started = code === undefined ? await mailCode(context, args) : mailedBefore(context, args);
    if (flag(args, 'start')) {
      context.output.result(started, () => `A code was mailed to ${started.email}. Go on: aw login --code CODE`);
      return;
    }
    await finishLogin(context, started, code ?? (await asked(context, 'Code: ')));
  },
};

async function mailCode(context: Context, args: Args): Promise<StartedLogin> {
  const email = optionalText(args, 'email') ?? (await asked(context, 'Email: '));
  const started = await startLogin(context.options(), email);
  context.loginFile.write({ ...started, api: context.api });
  return started;
}

function mailedBefore(context: Context, args: Args): StartedLogin {
  const mailed = context.loginFile.read();
  const email = optionalText(args, 'email') ?? mailed?.email;
  if (!mailed || mailed.email !== email || mailed.api !== context.api) {
    throw new UsageError('A code belongs to a mail that was asked for here. First: aw login --email EMAIL --start');
  }
  return { email: mailed.email, otpId: mailed.otpId };
}

async function finishLogin(context: Context, started: StartedLogin, code: string): Promise<void> {
  const { session } = await completeLogin(context.options(), started, code.trim());
  const { sessionToken: token, ...shown } = session;
  const { chainAddress: address, expiresAt } = session;
  context.sessionFile.write({ api: context.api, email: started.email, address, token, expiresAt });
  context.loginFile.remove();
  context.output.result({ email: started.email, ...shown }, ({ time }) =>
    pairs([
      [session.isNewUser ? 'New wallet' : 'Wallet', session.chainAddress],
      ['Email', started.email],
      ['Session until', time(expiresAt)],
      ['Profile', shownProfile(context.loginProfile)],
    ]),
  );
}

/** Asks on stderr, so that stdout has the result alone. */
async function asked(context: Context, question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  context.output.progress(question);
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
  }
  throw new UsageError(`${question.replace(/: $/, '')} is missing.`);
}

const logout: Command = {
  usage: 'logout',
  summary: 'End the session',
  examples: [['logout', 'End the session, and forget its token']],
  run: async (context) => {
    const ended = await context
      .wallet()
      .sessions.logOut()
      .catch((error: unknown) => {
        // A session that has ended already is what was wanted.
        if (error instanceof ApiError && error.status === 401) return { revoked: true };
        throw error;
      });
    if (!context.surroundings.env['AW_TOKEN']) context.sessionFile.remove();
    context.output.result(ended, () => 'Logged out.');
  },
};

const whoami: Command = {
  usage: 'whoami',
  summary: 'Show the agent and its address',
  examples: [
    ['whoami', 'Show the agent'],
    ['whoami --json', 'Read the address in a script'],
  ],
  run: async (context) => {
    const me = await context.wallet().me();
    context.output.result({ ...me, api: context.api }, ({ usd, time }) =>
      pairs([
        ['Email', me.email],
        ['Address', me.chainAddress],
        ['Agent', me.agentId],
        ['Owner', me.claimed ? 'claimed' : 'unclaimed'],
        ...grantEntries(me.grant, { usd, time }),
        ['Service', context.api],
        ['Profile', shownProfile(context.profile)],
      ]),
    );
  },
};

const sessions: Command = {
  usage: 'sessions',
  summary: 'List or end sessions',
  examples: [
    ['sessions', 'List the sessions'],
    ['sessions end ID', 'End a session that you do not know'],
  ],
  commands: [
    {
      usage: ['list', '$0'],
      summary: 'List the sessions',
      examples: [['sessions list', 'List the sessions']],
      run: async (context) => {
        const list = await context.wallet().sessions.list();
        context.output.result(list, ({ table, time }) =>
          table(
            ['ID', 'CREATED', 'LAST USED', 'EXPIRES', 'NETWORK', ''],
            list.sessions.map(({ id, createdAt, lastUsedAt, expiresAt, network, current }) => [
              id,
              time(createdAt),
              time(lastUsedAt),
              time(expiresAt),
              network,
              current ? 'this one' : '',
            ]),
            'No sessions.',
          ),
        );
      },
    },
    {
      usage: 'end <id>',
      summary: 'End a session',
      examples: [['sessions end 01938f70-0000-7000-8000-000000000001', 'End this session']],
      positionals: { id: 'Id of the session' },
      run: async (context, args) => {
        const id = text(args, 'id');
        const ended = await context.wallet().sessions.end(id);
        context.output.result(ended, () => `Ended ${id}.`);
      },
    },
  ],
};

export const ACCOUNT_COMMANDS: readonly Command[] = [login, logout, whoami, sessions];
