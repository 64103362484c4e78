// What k6 runs: one request of the public API, again and again, in the name of each agent in turn. Prints a summary as JSON.
import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';

const { url, method, body, tokens } = JSON.parse(open(__ENV.REQUEST_PATH));

export const options = { summaryTrendStats: ['p(50)', 'p(99)'], discardResponseBodies: true };

/** One request; what must be done once gets a key of its own. */
export default function ask() {
  const turn = exec.scenario.iterationInTest;
  const headers = { authorization: `Bearer ${tokens[turn % tokens.length]}` };
  if (body) {
    headers['content-type'] = 'application/json';
    headers['idempotency-key'] = `${__ENV.RUN}-${turn}`;
  }
  check(http.request(method, url, body && JSON.stringify(body), { headers }), {
    'answered with 200': ({ status }) => status === 200,
  });
}

/** What the benchmark reads: latencies in ms. */
export function handleSummary({ metrics: { http_reqs: requests, http_req_duration: took, checks } }) {
  return {
    stdout: JSON.stringify({
      count: requests.values.count,
      failures: checks.values.fails,
      p50Ms: took.values['p(50)'],
      p99Ms: took.values['p(99)'],
    }),
  };
}
