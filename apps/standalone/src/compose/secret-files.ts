import { SettingsError } from '@agent-wallet/platform';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KubernetesApi, StoredKind, StoredObject } from '../cluster/kubernetes-api.js';
import { placeOfObject, READ_BY_OTHERS } from './places.js';

const OURS_ALONE = 0o600;
const ANYBODYS = 0o444;

/** Volumes in the place of a cluster's Secrets and ConfigMaps: every value is a file of the service that needs it. */
export class SecretFiles implements Pick<KubernetesApi, 'find' | 'create' | 'replace'> {
  /** @param directory has a folder for every volume */
  constructor(private readonly directory: string) {}

  /** Finds nothing: created values are never read from here, because they are kept in a volume of their own. */
  async find(): Promise<undefined> {
    return undefined;
  }

  async create(kind: StoredKind, { metadata, data = {} }: StoredObject): Promise<void> {
    const place = placeOfObject(metadata.name);
    if (place === undefined) return;
    for (const [name, value] of Object.entries(data)) {
      await this.write(path.join(place, name), Buffer.from(value, kind === 'secrets' ? 'base64' : 'utf8'));
    }
  }

  replace(kind: StoredKind, object: StoredObject): Promise<void> {
    return this.create(kind, object);
  }

  /** Writes a file, by rename, so that no reader sees half of it. @param file `<volume>/<path>` */
  async write(file: string, content: Uint8Array | string): Promise<void> {
    const place = path.join(this.directory, file);
    const mode = READ_BY_OTHERS.has(file.split(path.sep)[0]!) ? ANYBODYS : OURS_ALONE;
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(`${place}.draft`, content, { mode });
    await rename(`${place}.draft`, place);
  }

  /** Writes variables as `node --env-file` reads them; those without a value are left out. @throws SettingsError */
  async writeVariables(file: string, variables: Readonly<Record<string, string | undefined>>): Promise<void> {
    const lines = Object.entries(variables).flatMap(([name, value]) => {
      if (!value) return [];
      if (/['\r\n]/.test(value)) throw new SettingsError([`${name}: must be one line without single quotes`]);
      return [`${name}='${value}'\n`];
    });
    await this.write(file, lines.join(''));
  }
}
