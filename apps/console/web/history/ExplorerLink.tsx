import { TEXTS } from '../texts.js';

/** Leads to a transaction at a block explorer. Only an address of the web is a link. */
export function ExplorerLink({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url)) return null;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {TEXTS.activity.explorer}
    </a>
  );
}
