import { text } from '../args.js';
import type { Command } from '../command.js';
import type { Context } from '../context.js';
import { Profiles, toProfile } from '../profiles.js';

/** A profile as it is listed. */
interface Listed {
  readonly name: string;
  readonly email: string | null;
  readonly address: string | null;
  readonly api: string | null;
  readonly expiresAt: string | null;
  readonly session: 'live' | 'over' | 'logged_out';
  readonly current: boolean;
}

function listed(context: Context, name: string): Listed {
  const current = name === context.profile;
  const kept = context.profiles.session(name).read();
  if (!kept) {
    return { name, email: null, address: null, api: null, expiresAt: null, session: 'logged_out', current };
  }
  const { email, address = null, api, expiresAt } = kept;
  const session = Date.parse(expiresAt) <= context.surroundings.nowMs() ? 'over' : 'live';
  return { name, email, address, api, expiresAt, session, current };
}

const list: Command = {
  usage: ['list', '$0'],
  summary: 'List the profiles',
  examples: [['profiles list', 'List the profiles']],
  run: async (context) => {
    const profiles = context.profiles.names().map((name) => listed(context, name));
    if (context.profile === undefined) {
      context.output.progress('AW_TOKEN is set: commands use its session, and no profile.');
    }
    context.output.result({ profiles }, ({ table, time }) => {
      const states = {
        live: ({ expiresAt }: Listed) => `until ${time(expiresAt)}`,
        over: ({ expiresAt }: Listed) => `over since ${time(expiresAt)}`,
        logged_out: () => 'logged out',
      };
      return table(
        ['PROFILE', '', 'EMAIL', 'ADDRESS', 'SERVICE', 'SESSION'],
        profiles.map((each) => [
          each.name,
          each.current ? 'current' : ' ',
          each.email,
          each.address,
          each.api,
          states[each.session](each),
        ]),
        '',
      );
    });
  },
};

const use: Command = {
  usage: 'use <name>',
  summary: 'Choose the profile of commands that name none',
  examples: [
    ['profiles use trader', 'Use the session of this profile'],
    ['profiles use default', 'Use the session of aw login without a profile'],
  ],
  positionals: { name: 'Name of the profile' },
  values: { name: (home) => new Profiles(home).names() },
  run: async (context, args) => {
    const name = toProfile('<name>', text(args, 'name'));
    context.profiles.choose(name);
    context.output.result({ profile: name }, () => `Commands use the profile ${name}.`);
  },
};

export const profiles: Command = {
  usage: 'profiles',
  summary: 'List profiles, or choose one: each has a session and open requests of its own',
  examples: [
    ['profiles', 'List the profiles'],
    ['login --profile trader', 'Create a profile'],
    ['balance --profile trader', 'Use it once'],
    ['profiles use trader', 'Use it from now on'],
  ],
  commands: [list, use],
};
