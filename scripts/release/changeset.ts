/**
 * Runs changesets with our pnpm where it looks for one, as no pnpm is installed beside it.
 *
 *   node scripts/release/changeset.ts version    new versions and change logs, from .changeset/
 *   node scripts/release/changeset.ts publish    every version that the registry does not have
 */
import { execFileSync } from "node:child_process"
import { pnpm } from "../setup.js"

const call = ["changeset", ...process.argv.slice(2)].join(" ")
try {
  execFileSync("npx", ["--yes", `--package=${pnpm}`, "--call", call], { stdio: "inherit" })
} catch {
  // It has said what is wrong.
  process.exitCode = 1
}
