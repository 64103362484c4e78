import type { WorldSeed } from '../records.js';
import { writeChoices } from './choices.js';
import { writeLadders } from './ladders.js';
import { SeedBuilder } from './seed-builder.js';
import { writeSports } from './sports.js';

/** What the exchange offers from the beginning: the same for the same day, so that nothing has to be remembered. */
export function seededWorld(originMs: number): WorldSeed {
  const seedBuilder = new SeedBuilder(originMs);
  writeSports(seedBuilder);
  writeLadders(seedBuilder);
  writeChoices(seedBuilder);
  return seedBuilder.world;
}
