import { LOGIN_ROLES, TLS_FOLDERS } from '../cluster/kept-objects.js';
import { CERTIFIED, OWNED_APART, type Service, SERVICES } from '../infrastructure/infrastructure.js';

/** The services that run as another user and still read the files of their volume. */
export const READ_BY_OTHERS: ReadonlySet<string> = new Set(['postgres', 'grafana']);

/**
 * Returns the folder, below all volumes, for the files of an object's values; undefined for an object that no container
 * needs.
 */
export function placeOfObject(name: string): string | undefined {
  return PLACES[name];
}

const PLACES: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    CERTIFIED.flatMap((name) => Object.values(TLS_FOLDERS).map((folder) => [`${name}-${folder}`, `${name}/${folder}`])),
  ),
  ...Object.fromEntries(
    LOGIN_ROLES.map((role) => [`${role.replaceAll('_', '-')}-database`, placeOfPassword(role)] as const),
  ),
  'postgres-superuser': 'postgres',
  'gateway-jwt-keys': 'gateway/jwt-keys',
  'policy-permit-keys': 'policy/permit-keys',
  'permit-public-keys': 'signer/permit-public-keys',
  'signer-root-key': 'signer/vault',
};

function placeOfPassword(role: string): string | undefined {
  if (SERVICES.includes(role as Service)) return `${role}/database`;
  const owned = OWNED_APART.find((name) => role === `${name}_owner`);
  return owned && `${owned}-migration/database`;
}
