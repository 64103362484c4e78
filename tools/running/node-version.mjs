// Imported before everything else by every tool, so it must parse and run on any Node that knows modules.
const OLDEST = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(`Node ${OLDEST.join('.')} or newer is needed; this is ${process.versions.node}.`);
  process.exit(1);
}
