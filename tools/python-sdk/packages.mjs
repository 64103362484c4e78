// The Python SDK with the packages that it and its checks need.
import path from 'node:path';
import { installPackages } from '../python/packages.mjs';
import { root } from '../running/process.mjs';

export const SDK = path.join(root, 'clients', 'python');

/** Installs the packages of the SDK. @returns the folder of their programs */
export function installSdk() {
  return installPackages('python-sdk', path.join(import.meta.dirname, 'requirements.txt'));
}
