import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { TabProps } from '../agents/tab.js';
import type { Transaction } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { Empty, ErrorNotice, Skeleton } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { ACTIONS, matching, readPage, useActivity } from './activity.js';
import { csvOf } from './csv.js';
import { TransactionDialog } from './TransactionDialog.js';
import { TransactionList } from './TransactionList.js';

const WORDS = TEXTS.activity;

/** Shows the history of an agent, with a search over all of it. */
export default function ActivityTab({ agentId }: TabProps) {
  const [action, setAction] = useState('');
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState<Transaction>();
  const sought = useDeferredValue(search);
  const history = useActivity(agentId, action);
  const { hasNextPage, isFetching, isError, fetchNextPage } = history;
  const all = useMemo(() => history.data?.pages.flatMap(({ transactions }) => transactions) ?? [], [history.data]);
  const shown = useMemo(() => matching(all, sought), [all, sought]);
  useEffect(() => {
    // A search must not miss what is not loaded yet.
    if (sought !== '' && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [sought, hasNextPage, isFetching, isError, fetchNextPage]);
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">{WORDS.title}</h2>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <div>
          <label htmlFor="search">{WORDS.search}</label>
          <input
            id="search"
            type="search"
            placeholder={WORDS.searchHint}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
        <ActionFilter action={action} onChange={setAction} />
        <ExportButton agentId={agentId} action={action} search={search} />
      </form>
      <p className="hint" aria-live="polite">
        {history.data && WORDS.count(shown.length, all.length)}
        {history.isFetchingNextPage && ` ${WORDS.more}`}
      </p>
      {history.isPending && <Skeleton lines={8} />}
      {isError && <ErrorNotice error={history.error} retry={() => void history.refetch()} />}
      {history.data && shown.length === 0 && !isFetching && <NothingShown isSearch={sought !== '' || action !== ''} />}
      {shown.length > 0 && (
        <TransactionList
          transactions={shown}
          onOpen={setOpened}
          onEnd={() => hasNextPage && !isFetching && !isError && void fetchNextPage()}
        />
      )}
      {opened && <TransactionDialog transaction={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

function NothingShown({ isSearch }: { readonly isSearch: boolean }) {
  return (
    <Empty title={isSearch ? WORDS.noMatch : WORDS.none}>
      <p>{isSearch ? WORDS.noMatchText : WORDS.noneText}</p>
    </Empty>
  );
}

function ActionFilter({ action, onChange }: { readonly action: string; readonly onChange: (action: string) => void }) {
  return (
    <div>
      <label htmlFor="action">{WORDS.action}</label>
      <select id="action" value={action} onChange={({ target }) => onChange(target.value)}>
        <option value="">{WORDS.all}</option>
        {ACTIONS.map((each) => (
          <option key={each} value={each}>
            {WORDS.actions[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Saves all that matches, also what is not loaded yet. */
function ExportButton({ agentId, action, search }: TabProps & { readonly action: string; readonly search: string }) {
  const { api } = useConsole();
  const save = useMutation({
    mutationFn: async () => {
      const all: Transaction[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await readPage(api, agentId, { action, cursor });
        all.push(...page.transactions);
        cursor = page.nextCursor;
      }
      download(csvOf(matching(all, search)), `activity-${agentId}.csv`);
    },
  });
  return (
    <div>
      <button type="button" className="quiet" disabled={save.isPending} onClick={() => save.mutate()}>
        {WORDS.export}
      </button>
      {save.isError && <ErrorNotice error={save.error} />}
    </div>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
