import { json, type ScriptedAggregator, startScriptedAggregator } from './scripted-aggregator.js';

type Query = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;

/** What a liar between the service and the aggregator changes of orders. */
export interface Lies {
  /** What the aggregator is really asked. */
  readonly ask?: (query: Query) => Query;
  /** What is answered for its answer. */
  readonly answer?: (order: Json, query: Query) => Json;
}

/** An aggregator that asks another one, and says what it likes. */
export async function startProxy(target: string, lies: Lies = {}): Promise<ScriptedAggregator> {
  return startScriptedAggregator((request, response) => {
    const isOrder = request.path.endsWith('/order');
    const query = isOrder && lies.ask ? lies.ask(request.query) : request.query;
    const init = request.method === 'POST' ? { method: 'POST', body: request.body } : {};
    const headers = { 'content-type': 'application/json', ...(request.key ? { 'x-api-key': request.key } : {}) };
    fetch(`${target}${request.path}?${new URLSearchParams(query)}`, { ...init, headers }).then(
      async (answer) => {
        const body = (await answer.json()) as Json;
        json(response, isOrder && lies.answer ? lies.answer(body, request.query) : body, answer.status);
      },
      () => response.destroy(),
    );
  });
}
