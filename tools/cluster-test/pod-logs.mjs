// Every line that a container of the namespace prints, kept in files: pods come and go.
import { appendFileSync, mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Follows every container of every pod that it is given. */
export class PodLogs {
  #followed = new Set();
  #stops = [];

  constructor(cluster, folder) {
    Object.assign(this, { cluster, folder });
    mkdirSync(folder, { recursive: true });
  }

  /** Follows what runs in a pod and was not followed so far; what a container printed before its last start, too. */
  see(pod) {
    for (const status of [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])]) {
      const { name, restartCount, state, lastState = {} } = status;
      if (!state.running && !state.terminated && !lastState.terminated) continue;
      const key = (count) => `${pod.metadata.uid} ${name} ${count}`;
      if (restartCount > 0 && !this.#followed.has(key(restartCount - 1))) {
        this.#followed.add(key(restartCount - 1));
        this.#follow(pod, name, 'previous=true');
      }
      if (this.#followed.has(key(restartCount))) continue;
      this.#followed.add(key(restartCount));
      this.#follow(pod, name, 'follow=true');
    }
  }

  stop() {
    for (const stop of this.#stops) stop();
  }

  /** Everything that was printed: `{ file, text }`. */
  async all() {
    const names = await readdir(this.folder);
    return Promise.all(
      names.map(async (file) => ({ file, text: await readFile(path.join(this.folder, file), 'utf8') })),
    );
  }

  #follow(pod, container, how) {
    const file = path.join(this.folder, `${pod.metadata.name}.${container}.log`);
    const url = this.cluster.at(`pods/${pod.metadata.name}/log?container=${container}&${how}`);
    this.#stops.push(this.cluster.follow(url, (text) => appendFileSync(file, text)));
  }
}
