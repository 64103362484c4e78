// What Schemathesis reports of a run.

/** How many requests a report (one JSON event a line) tells of. */
export function casesOf(report) {
  const events = report
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return events.reduce(
    (sum, event) => sum + Object.keys(event.ScenarioFinished?.recorder?.interactions ?? {}).length,
    0,
  );
}
