import type { Handle } from 'pkcs11js';
import { VaultError } from '../../../ports/vault.js';
import { openModule, type OpenModule, type Pkcs11Library } from './native-module.js';
import { withPin } from './pin-file.js';
import { asVaultError, isStale } from './token-failure.js';

const CKR_USER_ALREADY_LOGGED_IN = 0x100;
/** State of a session that the user is logged in to. */
const CKS_RW_USER_FUNCTIONS = 3;

/** The token, and the file of its PIN. */
export interface TokenAddress {
  readonly modulePath: string;
  readonly tokenLabel: string;
  readonly pinPath: string;
}

/** The token's own description, as the operator sees it. */
interface TokenInfo {
  readonly label: string;
  readonly serialNumber: string;
  readonly manufacturer: string;
  readonly model: string;
}

/** A session with what is needed to use it. */
export interface TokenSession {
  readonly names: Pkcs11Library;
  readonly calls: OpenModule['calls'];
  readonly handle: Handle;
}

/** A token that we are logged in to for as long as this is open. */
export class Token {
  private constructor(
    private readonly module: OpenModule,
    private readonly address: TokenAddress,
    private slot: Handle,
    readonly info: TokenInfo,
  ) {}

  /** The session that keeps us logged in: each piece of work has one of its own beside it. */
  private keeper: Handle | undefined;
  private loggingIn: Promise<void> | undefined;

  /** @throws VaultError */
  static async open(address: TokenAddress): Promise<Token> {
    const module = await openModule(address.modulePath);
    try {
      const { slot, info } = findToken(module, address.tokenLabel);
      const token = new Token(module, address, slot, info);
      await token.session(async () => undefined);
      return token;
    } catch (error) {
      module.close();
      throw asVaultError(error, address.tokenLabel);
    }
  }

  /** Does a piece of work, a second time when the token had let go of us. @throws VaultError */
  async session<T>(work: (session: TokenSession) => Promise<T>): Promise<T> {
    try {
      return await this.sessionOnce(work).catch(async (error: unknown) => {
        if (!isStale(error)) throw error;
        this.slot = findToken(this.module, this.address.tokenLabel).slot;
        return await this.sessionOnce(work);
      });
    } catch (error) {
      throw asVaultError(error, this.address.tokenLabel);
    }
  }

  close(): void {
    const { keeper } = this;
    this.keeper = undefined;
    if (keeper) ignoringErrors(() => this.module.calls.C_CloseSession(keeper));
    this.module.close();
  }

  private async sessionOnce<T>(work: (session: TokenSession) => Promise<T>): Promise<T> {
    if (!this.isLoggedIn()) await (this.loggingIn ??= this.logIn().finally(() => (this.loggingIn = undefined)));
    const { names, calls } = this.module;
    const handle = this.openSession();
    try {
      return await work({ names, calls, handle });
    } finally {
      // Also ends what a failure left half done.
      ignoringErrors(() => calls.C_CloseSession(handle));
    }
  }

  /**
   * Returns whether the login still holds. A token that has logged us out shows its public objects, as if there were no
   * keys.
   */
  private isLoggedIn(): boolean {
    const { calls } = this.module;
    try {
      return this.keeper !== undefined && calls.C_GetSessionInfo(this.keeper).state === CKS_RW_USER_FUNCTIONS;
    } catch {
      return false;
    }
  }

  private async logIn(): Promise<void> {
    const { names, calls } = this.module;
    const session = this.openSession();
    try {
      await withPin(this.address.pinPath, (pin) => calls.C_Login(session, names.CKU_USER, pin));
    } catch (error) {
      if ((error as { code?: number }).code !== CKR_USER_ALREADY_LOGGED_IN) {
        ignoringErrors(() => calls.C_CloseSession(session));
        throw error;
      }
    }
    this.keeper = session;
  }

  private openSession(): Handle {
    const { names, calls } = this.module;
    return calls.C_OpenSession(this.slot, names.CKF_SERIAL_SESSION | names.CKF_RW_SESSION);
  }
}

function findToken({ calls }: OpenModule, label: string): { slot: Handle; info: TokenInfo } {
  const found = calls.C_GetSlotList(true).flatMap((slot) => {
    const info = calls.C_GetTokenInfo(slot);
    return info.label.trim() === label ? [{ slot, info }] : [];
  });
  const [first, second] = found;
  if (!first) throw new VaultError(`SIGNER_PKCS11_TOKEN_LABEL: the module has no token named "${label}"`);
  if (second) throw new VaultError(`SIGNER_PKCS11_TOKEN_LABEL: the module has several tokens named "${label}"`);
  const { serialNumber, manufacturerID, model } = first.info;
  return {
    slot: first.slot,
    info: {
      label,
      serialNumber: serialNumber.trim(),
      manufacturer: manufacturerID.trim(),
      model: model.trim(),
    },
  };
}

/** Ignores errors of an object that is closed already, or gone. */
function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {
    return;
  }
}
