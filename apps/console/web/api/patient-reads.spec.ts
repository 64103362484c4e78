import { expect, it } from '@jest/globals';
import { PatientReads, sleep } from './patient-reads.js';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');
const URL = 'https://wallet.example/owner/agents';
const fine = () => new Response('{}');
const refused = (seconds: number | undefined, retryAt?: string) =>
  Response.json(
    { data: { code: 'RATE_LIMIT_EXCEEDED', retryAt } },
    { status: 429, ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }) },
  );

/** Answers in turn, by a clock that only waiting advances. */
function service(...answers: Response[]) {
  let atMs = NOW;
  const waits: number[] = [];
  const sent: string[] = [];
  const reads = new PatientReads({
    fetch: async ({ method }) => {
      sent.push(method);
      return answers.shift() ?? fine();
    },
    nowMs: () => atMs,
    sleep: async (ms) => {
      waits.push(ms);
      shown.push(reads.isWaiting());
      const endMs = atMs + ms;
      await Promise.resolve();
      atMs = endMs;
    },
  });
  const shown: boolean[] = [];
  return { reads, waits, sent, shown };
}

it('a read that the rate limit refused waits as long as the service says, and is sent again', async () => {
  const { reads, waits, sent, shown } = service(refused(7));
  expect((await reads.send(new Request(URL))).status).toBe(200);
  expect([waits, sent, shown]).toEqual([[7_000], ['GET', 'GET'], [true]]);
  expect(reads.isWaiting()).toBe(false);
});

it('waits until retryAt where the header cannot be read', async () => {
  const { reads, waits } = service(refused(undefined, '2026-11-26T12:00:12.000Z'));
  await reads.send(new Request(URL));
  expect(waits).toEqual([12_000]);
});

it('another read waits with the refused one, and spends no request meanwhile', async () => {
  const { reads, waits, sent } = service(refused(7));
  const second = new Promise<Response>((resolve) => {
    const stop = reads.subscribe(() => {
      stop();
      resolve(reads.send(new Request(URL)));
    });
  });
  expect((await reads.send(new Request(URL))).status).toBe(200);
  expect((await second).status).toBe(200);
  expect(waits).toEqual([7_000, 7_000]);
  expect(sent).toHaveLength(3);
});

it('returns the refusal after five tries, of a wait above two minutes, and without a time', async () => {
  const five = service(...Array.from({ length: 9 }, () => refused(1)));
  expect((await five.reads.send(new Request(URL))).status).toBe(429);
  expect(five.sent).toHaveLength(5);
  for (const answer of [refused(3_600), refused(undefined)]) {
    const { reads, sent } = service(answer);
    expect([(await reads.send(new Request(URL))).status, sent.length]).toEqual([429, 1]);
  }
});

it.each(['POST', 'PATCH', 'DELETE'])('a refused %s is not sent again', async (method) => {
  const { reads, sent, waits } = service(refused(1));
  expect((await reads.send(new Request(URL, { method }))).status).toBe(429);
  expect([sent, waits]).toEqual([[method], []]);
});

it('a wait ends with its signal', async () => {
  const ending = new AbortController();
  const waiting = sleep(3_600_000, ending.signal);
  ending.abort(new Error('logged out'));
  await expect(waiting).rejects.toThrow('logged out');
  await expect(sleep(3_600_000, ending.signal)).rejects.toThrow('logged out');
});
