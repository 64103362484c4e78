import {
  AgentWallet,
  type Accepted,
  ExpiredKeyError,
  type OperationOptions,
  type WalletOptions,
} from '@agent-wallet/sdk';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { type Args, flag, optionalText } from './args.js';
import { InterruptedError, type LostResult, NotLoggedInError, UsageError } from './exit-codes.js';
import { Output, type Streams } from './output.js';
import { PendingFolder } from './pending-folder.js';
import { DEFAULT_PROFILE, homeOf, Profiles, shownProfile, toProfile } from './profiles.js';
import { type MailedLogin, PrivateFile, type Session } from './session-file.js';
import { View } from './view.js';

/** Surroundings of the program. */
export interface Surroundings extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Width of the terminal; undefined where stdout is none. */
  readonly columns: number | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Calls back at Ctrl-C, and returns what ends that. */
  readonly onInterrupt: (interrupted: () => void) => () => void;
  /** Input that is piped in. */
  readonly input: Readable;
  /** Calls back at Ctrl-C, at SIGTERM and when the reader of `out` has gone, and returns what ends that. */
  readonly onStop: (stopped: () => void) => () => void;
}

/** The session that a failure belongs to. */
export interface FailureSource {
  readonly env: Surroundings['env'];
  readonly profile?: string | undefined;
  /** Whether people see the profile. */
  readonly isNamed?: boolean;
}

const DEFAULT_API = 'http://localhost:8080';
const DEFAULT_WAIT_SECONDS = '300';
/** People who read do not wait longer for a service that is away. */
const READ_RETRY_MS = 10_000;
const MONEY_RETRY_MS = 60_000;

/** Settings and parts that commands share. */
export class Context {
  readonly output: Output;
  readonly profiles: Profiles;
  /** The profile whose session and open requests are used; undefined with AW_TOKEN, which is the session of none. */
  readonly profile: string | undefined;
  /** The profile whose session a login writes. */
  readonly loginProfile: string;
  readonly sessionFile: PrivateFile<Session>;
  readonly loginFile: PrivateFile<MailedLogin>;
  readonly waitMs: number;
  readonly #givenApi: string | undefined;
  /** The profile that is named for this run alone. */
  readonly #named: string | undefined;
  /** Folder of the open requests. */
  readonly #pending: string;

  constructor(
    readonly surroundings: Surroundings,
    args: Args,
  ) {
    const { env } = surroundings;
    const { columns } = surroundings;
    const timeZone = flag(args, 'utc') ? 'UTC' : undefined;
    const view = new View({ columns, isRaw: flag(args, 'raw'), timeZone });
    this.output = new Output(surroundings, flag(args, 'json'), view);
    this.profiles = new Profiles(homeOf(optionalText(args, 'home'), env));
    this.#named = namedIn(args, env);
    this.loginProfile = this.#named ?? this.profiles.chosen();
    this.profile = env['AW_TOKEN'] ? undefined : this.loginProfile;
    this.sessionFile = this.profiles.session(this.loginProfile);
    this.loginFile = new PrivateFile(this.profiles.folder(this.loginProfile), 'login.json');
    this.#pending = path.join(this.profiles.folder(this.profile ?? DEFAULT_PROFILE), 'pending');
    this.waitMs = secondsOf(optionalText(args, 'wait') ?? DEFAULT_WAIT_SECONDS) * 1_000;
    this.#givenApi = optionalText(args, 'api') ?? (env['AW_API'] || undefined);
  }

  /** The address of the service: as given, or that of the session. */
  get api(): string {
    const api = this.#givenApi ?? this.sessionFile.read()?.api ?? DEFAULT_API;
    if (!/^https?:\/\//.test(api)) throw new UsageError(`--api takes an address such as ${DEFAULT_API}, not ${api}.`);
    return api.replace(/\/+$/, '');
  }

  /** Returns the token: of the environment, or of the session at this service. @throws NotLoggedInError */
  token(): string {
    const given = this.surroundings.env['AW_TOKEN'];
    if (given && this.#named !== undefined) {
      throw new UsageError(`AW_TOKEN and the profile ${this.#named} are two sessions: leave one of them out.`);
    }
    if (given && !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)) {
      throw new NotLoggedInError('The value of AW_TOKEN is not a token, or only a part of one.');
    }
    if (given) return given;
    const session = this.sessionFile.read();
    if (!session) {
      const isNamed = this.profile !== DEFAULT_PROFILE;
      throw new NotLoggedInError(isNamed ? `The profile ${this.profile} is not logged in.` : 'You are not logged in.');
    }
    // A token is shown to the service that gave it, and to no other.
    if (session.api !== this.api)
      throw new NotLoggedInError(`You are logged in at ${session.api}, not at ${this.api}.`);
    return session.token;
  }

  /** Returns the command line that logs in here. */
  loginLine(): string {
    const profile = shownProfile(this.loginProfile);
    return `aw login --api ${this.api}${profile === undefined ? '' : ` --profile ${profile}`}`;
  }

  /** Returns the source of a failure: the token of the environment, or a profile. */
  source(): FailureSource {
    const isNamed = this.profile !== DEFAULT_PROFILE || this.profiles.hasNamed();
    return { env: this.surroundings.env, profile: this.profile, isNamed };
  }

  /** Returns the options of a wallet that reads. */
  options(): WalletOptions {
    return {
      baseUrl: this.api,
      store: new PendingFolder(this.#pending, this.surroundings.written),
      retryForMs: Math.min(READ_RETRY_MS, this.waitMs),
      onRetry: this.#sayRetry(),
    };
  }

  /** Returns the wallet of the session, for reads and changes. @throws NotLoggedInError */
  wallet(options: Partial<WalletOptions> = {}): AgentWallet {
    return new AgentWallet({ ...this.options(), ...options }, this.token());
  }

  /**
   * Runs an operation with progress on stderr. Ctrl-C ends the wait, not the operation.
   * @param run takes the wallet and the options, and prints the result as soon as it has it
   */
  async operate(run: (wallet: AgentWallet, options: OperationOptions) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const interrupted = () =>
      stop.abort(new InterruptedError('Stopped. The operation may go on; its request is kept. Go on: aw resume.'));
    const end = this.surroundings.onInterrupt(interrupted);
    try {
      const wallet = this.wallet({ retryForMs: Math.min(MONEY_RETRY_MS, this.waitMs) });
      await run(wallet, {
        waitMs: this.waitMs,
        signal: stop.signal,
        onAccepted: this.#sayAccepted(),
        onResume: ({ key }) => this.output.progress(`Goes on with the request ${key} that was left open.`),
      });
    } catch (error) {
      const confirmed = confirmedIn(error);
      if (!confirmed) throw error;
      const text = `Done earlier: transaction ${confirmed.id} is confirmed.`;
      await this.output.effect(confirmed, () => text, lostResult(confirmed.id));
    } finally {
      end();
    }
  }

  /** Reports a state once, however often it is polled. */
  #sayAccepted(): (accepted: Accepted) => void {
    let said = '';
    return (accepted) => {
      const text = acceptedText(accepted);
      if (text !== said) this.output.progress(text);
      said = text;
    };
  }

  #sayRetry(): (error: Error) => void {
    let isSaid = false;
    return ({ message }) => {
      if (!isSaid) this.output.progress(`${message.replace(/\.$/, '')}. Tries again …`);
      isSaid = true;
    };
  }
}

/** Returns the next step of someone who does not get the result of an operation. Its request stays open. */
export function lostResult(transactionId: string | undefined): LostResult {
  const next = 'Money moved. Run the same command again: it shows the result and pays nothing. Or: aw resume.';
  return { next, repeatable: true, transactionId };
}

/** Returns the record of an operation that history has shown as confirmed, in place of its result; undefined for a failure. */
export function confirmedIn(error: unknown): ExpiredKeyError['transaction'] {
  if (!(error instanceof ExpiredKeyError)) return undefined;
  return error.transaction?.status === 'confirmed' ? error.transaction : undefined;
}

/** Returns the line about an operation that is not over. */
export function acceptedText(accepted: Accepted): string {
  const { transactionStatus, transactionId } = accepted;
  if (transactionStatus !== 'awaiting_approval') return `${transactionStatus} ${transactionId}`;
  const { approvalUrl, expiresAt } = accepted as Accepted & { readonly expiresAt?: string };
  const where = approvalUrl ? ` at ${approvalUrl}` : '';
  return `${transactionId} waits for the owner${where}${expiresAt ? ` until ${expiresAt}` : ''}`;
}

function namedIn(args: Args, env: Surroundings['env']): string | undefined {
  const given = optionalText(args, 'profile');
  if (given !== undefined) return toProfile('--profile', given);
  return env['AW_PROFILE'] ? toProfile('AW_PROFILE', env['AW_PROFILE']) : undefined;
}

function secondsOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--wait takes seconds such as 60, not ${text}.`);
  return Number(text);
}
