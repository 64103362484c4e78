// Does the tasks of the walk-through through one client, and compares each result.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

const LATE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Does tasks in their order.
 * @param client as `clients.mjs` connects it
 * @param given values by the names that the tasks use
 * @param done takes each task that succeeded
 * @returns the given values and those that were kept
 * @throws Error that names the task which failed
 */
export async function walk(client, tasks, { given, done }) {
  const values = { ...given };
  for (const { name, calls } of tasks) {
    try {
      for (const call of calls) Object.assign(values, await succeed(client, call, values));
    } catch (error) {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    }
    done(name);
  }
  return values;
}

/** Calls a tool until its result is as expected: once, unless it may be late. @returns what is kept of the result */
async function succeed(client, call, values) {
  const endsAtMs = performance.now() + (call.isLate ? LATE_MS : 0);
  for (;;) {
    const result = await client.call(call.tool, filled(call.arguments ?? {}, values));
    try {
      return check(result, call, values);
    } catch (error) {
      if (performance.now() > endsAtMs) throw new Error(`${call.tool}: ${error.message}`, { cause: error });
    }
    await pause(PAUSE_MS);
  }
}

/** Compares a result with what a call expects. @returns what is kept of it */
function check({ isError, structuredContent, content }, { expect, keep = {} }, values) {
  const [{ text }] = content;
  assert.notEqual(isError, true, `The tool failed: ${text}`);
  assert.deepEqual(structuredContent, JSON.parse(text), 'The text and the structured content must be equal.');
  const wanted = filled(expect, values);
  assert.deepEqual(partLike(structuredContent, wanted), wanted);
  return Object.fromEntries(
    Object.entries(keep).map(([name, path]) => {
      const value = path.split('.').reduce((part, key) => part?.[key], structuredContent);
      assert.equal(typeof value, 'string', `${path} must be text, and is ${JSON.stringify(value)}.`);
      return [name, value];
    }),
  );
}

/** Returns what a value has where another has something. */
function partLike(value, wanted) {
  if (typeof wanted !== 'object' || wanted === null || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(wanted)) return Array.isArray(value) ? value.map((each, n) => partLike(each, wanted[n])) : value;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, partLike(value[key], wanted[key])]));
}

/** Puts values in the place of their names. */
function filled(template, values) {
  if (typeof template === 'string' && template.startsWith('$')) {
    assert.ok(Object.hasOwn(values, template.slice(1)), `${template} has no value yet.`);
    return values[template.slice(1)];
  }
  if (Array.isArray(template)) return template.map((each) => filled(each, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, each]) => [key, filled(each, values)]));
}
