// Drive an installed mcp-books over stdio with the official TypeScript clients, and say what held.
//
//     node drive.mjs COMMAND [ARGUMENT...]      e.g. node drive.mjs .venv/bin/mcp-books
//
// Prints a JSON report; the exit code is 1 where anything did not hold, or no server answered within
// DRIVE_LIMIT_MS.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CLIENTS, Connection, killAll } from "./clients.mjs";
import { STEPS } from "./steps.mjs";

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error("usage: node drive.mjs COMMAND [ARGUMENT...]");
  process.exit(2);
}

const home = mkdtempSync(join(tmpdir(), "mcp-books-typescript-"));
const LIMIT = Number(process.env.DRIVE_LIMIT_MS ?? 200_000);

/** End with one line about why, and leave no server behind. */
function giveUp(why) {
  killAll();
  rmSync(home, { recursive: true, force: true });
  process.stderr.write(`drive.mjs: ${command}: ${why}\n`);
  process.exit(1);
}

setTimeout(() => giveUp(`not done after ${LIMIT / 1000} s`), LIMIT).unref();

const complaints = [];
for (const method of ["log", "warn", "error"]) {
  console[method] = (...parts) => complaints.push(parts.join(" "));
}

/** The environment that hosts give, with the user's own folders out of reach. */
function environment(home) {
  const env = {
    HOME: home,
    LOCALAPPDATA: home,
    WIN_PD_OVERRIDE_LOCAL_APPDATA: home,
    XDG_CACHE_HOME: home,
    XDG_DATA_HOME: home,
  };
  const { PYTHONPATH } = process.env;
  return PYTHONPATH === undefined ? env : { ...env, PYTHONPATH };
}

/** Take every step with one client; null stands for a step that held. */
async function drive(kind, home) {
  const server = { command, args, env: environment(home) };
  const open = await Connection.open(kind, { ...server, args: [...args, "--demo"] });
  const run = { open, server, complaints };
  const steps = {};
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      await step(run);
      steps[name] = null;
    } catch (error) {
      steps[name] = String(error.stack ?? error);
    }
  }
  return steps;
}

const report = {};
try {
  for (const [id, kind] of Object.entries(CLIENTS)) report[id] = await drive(kind, home);
} catch (error) {
  giveUp(error.message);
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
const failed = Object.values(report).flatMap(Object.values).filter((problem) => problem !== null);
process.exitCode = failed.length > 0 ? 1 : 0;
