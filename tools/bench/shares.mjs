// Benchmark: what one user can take from others, in failures and in latency, while every limit has its default.
import { Checks } from '../measuring/checks.mjs';
import { closeAll } from '../measuring/closing.mjs';
import { figure } from './measure/pairs.mjs';
import { attackersOf, logInAll, startWithDefaults, victimsOf } from './shares/actors.mjs';
import { asksOf, runCell, WARM_UP_ASKS, warmUp } from './shares/cell.mjs';
import { SCENES } from './shares/scenes.mjs';
import { cellText, sharesTable } from './shares/table.mjs';

const LONG = { asks: 20, attackers: [0, 1, 10, 100] };
const QUICK = { asks: 10, attackers: [0, 1, 10] };

/** The most that attackers may add to the slowest requests. */
const AIM = { atMost: 2 };

export async function measure({ isQuick, scene: only }) {
  const scenes = SCENES.filter(({ name }) => only === undefined || name === only);
  if (scenes.length === 0) throw new Error(`--scene must be one of ${SCENES.map(({ name }) => name).join(', ')}.`);
  const size = isQuick ? QUICK : LONG;
  const cells = [];
  for (const scene of scenes) {
    cells.push(...(await measureScene(scene, size)));
    await closeAll();
  }
  console.log(`\n${sharesTable(cells)}`);
  return {
    notes: `one victim, at most ${size.asks} requests a cell, beside ${size.attackers.slice(1).join(', ')} attackers with networks and agents of their own, 30 requests a minute each`,
    figures: figuresOf(cells),
    tables: [],
    checks: checksOf(cells),
    cells,
  };
}

/** Measures the cells of one scene, at services that know nothing of the other scenes. */
async function measureScene(scene, { asks: wanted, attackers }) {
  const deployment = await startWithDefaults(scene.environment);
  const asksIn = attackers.map((count) => asksOf(scene, count, wanted));
  const total = asksIn.reduce((sum, asks) => sum + asks, WARM_UP_ASKS);
  const victims = victimsOf(Math.max(1, Math.ceil(total / scene.asksPerVictim)));
  // Each cell has attackers of its own, whose allowances of the day are whole.
  const hostile = attackers.map((count, cell) => attackersOf(count, cell));
  await logInAll(deployment, [...victims, ...hostile.flat()]);
  const world = { deployment, victims, attackers: hostile.flat() };
  await scene.prepare(world, { asks: total });
  let asked = await warmUp(scene, world);
  const cells = [];
  for (const [i, attacking] of hostile.entries()) {
    const asks = asksIn[i];
    const cell = await runCell({ scene, world, attackers: attacking, first: asked, asks });
    asked += asks;
    const [quiet = cell] = cells;
    cells.push({ scene: scene.name, attackers: attacking.length, ...cell, ratio: cell.p99 / quiet.p99 });
    console.log(`  ${cellText(cells.at(-1))}`);
  }
  return cells;
}

function figuresOf(cells) {
  return cells
    .filter(({ attackers }) => attackers > 0)
    .map(({ scene, attackers, ratio, p99 }) =>
      figure(
        `${scene} beside ${attackers}: p99`,
        { ratio, product: p99, limit: p99 / ratio },
        { unit: 'ms', aim: AIM },
      ),
    );
}

function checksOf(cells) {
  const checks = new Checks();
  for (const { scene, attackers, starved, failed, reasons } of cells) {
    const where = attackers === 0 ? scene : `${scene} beside ${attackers}`;
    const why = Object.keys(reasons).join(', ');
    checks.equal(
      `victims lack nothing that is shared`,
      starved === 0 ? 'none' : `${where}: ${starved} (${why})`,
      'none',
    );
    checks.equal(`victims fail for no other reason`, failed === 0 ? 'none' : `${where}: ${failed} (${why})`, 'none');
  }
  return checks.all;
}
