import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

/** Labels that objects carry or select by. */
export type Labels = Readonly<Record<string, string>>;

/** One object of Kubernetes, as far as it is looked at before its kind is known. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
}

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', '..', 'k8s');

/** Whether this machine has kubectl. Where REQUIRE_KUBECTL is set, one that is missing is an error. */
export function canRender(): boolean {
  const there = spawnSync('kubectl', ['kustomize', '--help'], { stdio: 'ignore' }).status === 0;
  if (!there && process.env['REQUIRE_KUBECTL']) throw new Error('REQUIRE_KUBECTL is set, and there is no kubectl');
  if (!there) process.stderr.write('SKIPPED: the manifests are not checked, for there is no kubectl here\n');
  return there;
}

/** What an overlay makes. @throws Error with what kustomize says against it */
export function render(overlay: string): readonly Manifest[] {
  const folder = path.join(FOLDER, 'overlays', overlay);
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJSON() as Manifest);
}
