import type { TlsPaths } from '../grpc/certificate-files.js';
import { setting } from './kinds.js';
import type { SettingsOf } from './read-settings.js';

/** Paths for a program that answers calls. */
export type ServerTlsPaths = Omit<TlsPaths, 'client'>;

/** Paths for a program that makes calls. */
export type ClientTlsPaths = Omit<TlsPaths, 'server'>;

/** The variables of a program that answers calls. */
export const SERVER_TLS_VARIABLES = {
  TLS_CA_PATH: setting.path(),
  TLS_CERT_PATH: setting.path(),
  TLS_KEY_PATH: setting.path(),
} as const;

/** The variables of a program that makes calls. */
export const CLIENT_TLS_VARIABLES = {
  TLS_CA_PATH: setting.path(),
  TLS_CLIENT_CERT_PATH: setting.path(),
  TLS_CLIENT_KEY_PATH: setting.path(),
} as const;

/** Returns the paths for answering calls. */
export function serverTls(read: SettingsOf<typeof SERVER_TLS_VARIABLES>): ServerTlsPaths {
  return { caPath: read.TLS_CA_PATH, server: { certPath: read.TLS_CERT_PATH, keyPath: read.TLS_KEY_PATH } };
}

/** Returns the paths for making calls. */
export function clientTls(read: SettingsOf<typeof CLIENT_TLS_VARIABLES>): ClientTlsPaths {
  return {
    caPath: read.TLS_CA_PATH,
    client: { certPath: read.TLS_CLIENT_CERT_PATH, keyPath: read.TLS_CLIENT_KEY_PATH },
  };
}

/** Returns the variables that name the files for answering calls. */
export function serverTlsEnvironment({
  caPath,
  server,
}: ServerTlsPaths): Record<keyof typeof SERVER_TLS_VARIABLES, string> {
  return { TLS_CA_PATH: caPath, TLS_CERT_PATH: server.certPath, TLS_KEY_PATH: server.keyPath };
}

/** Returns the variables that name the files for making calls. */
export function clientTlsEnvironment({
  caPath,
  client,
}: ClientTlsPaths): Record<keyof typeof CLIENT_TLS_VARIABLES, string> {
  return { TLS_CA_PATH: caPath, TLS_CLIENT_CERT_PATH: client.certPath, TLS_CLIENT_KEY_PATH: client.keyPath };
}
