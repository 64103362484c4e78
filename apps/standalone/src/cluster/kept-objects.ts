import type { TlsUse } from '@agent-wallet/platform';
import { CERTIFIED, OWNED_APART, SERVICES, usesOf } from '../infrastructure/infrastructure.js';
import type { StoredKind } from './kubernetes-api.js';

/** A Secret or ConfigMap of the cluster that holds files of a folder. */
export interface KeptObject {
  readonly kind: StoredKind;
  readonly name: string;
  /** Type of a Secret, when it is not a plain one. */
  readonly type?: string;
  /** Whether it is written again when its contents expire and were renewed; everything else stays for good. */
  readonly isRenewed?: true;
  /** File of each of its values in the folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** Roles of the database with passwords of their own. */
export const LOGIN_ROLES = [...SERVICES, 'events', ...OWNED_APART.map((name) => `${name}_owner`)] as const;

/** Returns the path of a role's password in the folder. */
export const passwordFile = (role: string) => `passwords/${role}`;

/** Path of the superuser's password in the folder. */
export const SUPERUSER_PASSWORD = passwordFile('postgres');

/** Path of the software vault's root key in the folder. */
export const ROOT_KEY = 'vault/root-key';

/** Path of the URL of the gateway's mail server in the folder. */
export const SMTP_URL = 'secrets/smtp-url';

/** Folders of certificates in a volume of secrets, by use; with the owner's name before it, a Secret's name. */
export const TLS_FOLDERS: Readonly<Record<TlsUse, string>> = { server: 'tls', client: 'client-tls' };

const certificateOf = (service: string, use: TlsUse): KeptObject => ({
  kind: 'secrets',
  name: `${service}-${TLS_FOLDERS[use]}`,
  type: 'kubernetes.io/tls',
  isRenewed: true,
  files: {
    'ca.crt': 'certificates/ca.pem',
    'tls.crt': `certificates/${use === 'client' ? `${service}-client` : service}.pem`,
    'tls.key': `certificates/${use === 'client' ? `${service}-client` : service}.key`,
  },
});

const passwordOf = (role: string): KeptObject => ({
  kind: 'secrets',
  name: `${role.replaceAll('_', '-')}-database`,
  files: { password: passwordFile(role) },
});

/**
 * Objects that pods mount or read and no manifest holds. Sources of other objects come first, so that a run after an
 * interrupted one can resume from its results.
 */
export const KEPT_OBJECTS: readonly KeptObject[] = [
  {
    kind: 'secrets',
    name: 'internal-authority',
    type: 'kubernetes.io/tls',
    isRenewed: true,
    files: { 'tls.crt': 'certificates/ca.pem', 'tls.key': 'certificates/ca.key' },
  },
  ...CERTIFIED.flatMap((name) => usesOf(name).map((use) => certificateOf(name, use))),
  { kind: 'secrets', name: 'postgres-superuser', files: { password: SUPERUSER_PASSWORD } },
  ...LOGIN_ROLES.map(passwordOf),
  { kind: 'secrets', name: 'signer-root-key', files: { 'root-key': ROOT_KEY } },
  { kind: 'secrets', name: 'policy-permit-keys', files: { '0001.pem': 'secrets/permit-keys/0001.pem' } },
  { kind: 'configmaps', name: 'permit-public-keys', files: { '0001.pem': 'secrets/permit-public-keys/0001.pem' } },
  { kind: 'secrets', name: 'gateway-jwt-keys', files: { '0001.pem': 'secrets/jwt-keys/0001.pem' } },
  { kind: 'secrets', name: 'gateway-secrets', files: { 'otp-pepper': 'secrets/otp-pepper', 'smtp-url': SMTP_URL } },
  {
    kind: 'secrets',
    name: 'prediction-exchange',
    files: {
      'key-id': 'secrets/sandbox-exchange/key-id',
      'private.pem': 'secrets/sandbox-exchange/private.pem',
      'public.pem': 'secrets/sandbox-exchange/public.pem',
    },
  },
];
