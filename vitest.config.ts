import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { drawShare } from "./scripts/tests/drawShare.ts"
import { cacheFolder } from "./scripts/tests/files.ts"
import Sequencer from "./scripts/tests/Sequencer.ts"
import { hasOracles, type Project } from "./scripts/tests/tiers.ts"
import { timeLimitMs } from "./scripts/tests/timeLimit.ts"

const everywhere = ["packages/*/test/**/*", "test/**/*", "bench/*/test/**/*"]
const named = (suffix: string) => everywhere.map((start) => `${start}${suffix}`)

/** Test files whose text has a word: that they draw, replace a module, or read others' results. */
const having = (word: string) =>
  globSync(named(".test.ts"), { exclude: ["**/node_modules/**"] }).filter((path) =>
    readFileSync(path, "utf8").includes(word)
  )
const law = ["packages/*/test/laws/**/*.test.ts", "test/laws/**/*.test.ts", ...having('/draws.ts"')]
const kills = ["test/crash/crash.test.ts"]

/** A test file belongs to the first of these that has it. */
const files: Readonly<Record<Exclude<Project, "oracle">, ReadonlyArray<string>>> = {
  kills,
  process: named(".process.test.ts"),
  database: named(".integration.test.ts"),
  law,
  // A module that is replaced must not have been loaded by a file before.
  replaced: having("vi.mock("),
  unit: named(".test.ts")
}

/**
 * Files that share a process with others, one after another: what each would load again, on
 * databases nearly all there is, is loaded once.
 */
const sharing: ReadonlySet<string> = new Set<Project>(["unit", "law", "oracle", "database"])

// Threads and servers that tests start load the same files again and again; half of that is to
// compile them.
process.env["NODE_COMPILE_CACHE"] ??= join(cacheFolder, "compiled")

/**
 * Files that Node loads itself. Vite makes each use of an import a call of a getter, and the
 * matcher takes four times as long with it. Vite is needed where a test replaces a module.
 */
const native: ReadonlySet<string> = new Set<Project>(["unit", "law", "oracle"])

const share = drawShare()

const names = Object.keys(files) as Array<keyof typeof files>

const projectOf = (
  name: Project,
  include: ReadonlyArray<string>,
  exclude: ReadonlyArray<string>
) => ({
  extends: true as const,
  test: {
    name,
    include: [...include],
    exclude: ["**/node_modules/**", ...exclude],
    isolate: !sharing.has(name),
    // A larger young generation spares a twentieth of the processor time, which is all that counts.
    execArgv: ["--max-semi-space-size=64"],
    experimental: { viteModuleRunner: !native.has(name) },
    testTimeout: timeLimitMs(name, share),
    hookTimeout: timeLimitMs(name, share)
  }
})

export default defineConfig({
  test: {
    reporters: [
      "default",
      ...(process.env["GITHUB_ACTIONS"] === undefined ? [] : ["github-actions"]),
      "./scripts/tests/CountingReporter.ts"
    ],
    projects: [
      ...names.map((name, index) =>
        projectOf(
          name,
          files[name],
          names.slice(0, index).flatMap((other) => files[other])
        )
      ),
      // Unit tests run a second time for the cases that they skip without other software's results.
      ...(hasOracles() ? [projectOf("oracle", having("CANDLEWICK_ORACLES"), files.process)] : [])
    ],
    // One more than processors are usual: tests wait for timers, disks and other processes.
    maxWorkers: 3,
    globalSetup: ["packages/store-postgres/test/databases/shareDatabases.ts"],
    sequence: { shuffle: { tests: true, files: false }, sequencer: Sequencer }
  }
})
