import { defineConfig } from "vitest/config"
import Sequencer from "./scripts/tests/Sequencer.ts"
import type { Project } from "./scripts/tests/tiers.ts"

const everywhere = ["packages/*/test/**/*", "test/**/*", "bench/*/test/**/*"]
const named = (suffix: string) => everywhere.map((start) => `${start}${suffix}`)
const law = ["packages/*/test/laws/**/*.test.ts", "test/laws/**/*.test.ts"]
const kills = ["test/crash/crash.test.ts"]
const [database, oracle, processes] = ["integration", "oracle", "process"].map((kind) =>
  named(`.${kind}.test.ts`)
) as [Array<string>, Array<string>, Array<string>]

/** A test file belongs to the first of these that has it, by its name or its folder. */
const files: Readonly<Record<Project, ReadonlyArray<string>>> = {
  kills,
  process: processes,
  database,
  oracle,
  law,
  unit: named(".test.ts")
}

/** Files that share a process with others, one after another. */
const sharing: ReadonlySet<string> = new Set<Project>(["unit", "law", "oracle"])

const names = Object.keys(files) as Array<Project>

export default defineConfig({
  test: {
    reporters: [
      "default",
      ...(process.env["GITHUB_ACTIONS"] === undefined ? [] : ["github-actions"]),
      "./scripts/tests/CountingReporter.ts"
    ],
    projects: names.map((name, index) => ({
      extends: true,
      test: {
        name,
        include: [...files[name]],
        exclude: ["**/node_modules/**", ...names.slice(0, index).flatMap((other) => files[other])],
        isolate: !sharing.has(name)
      }
    })),
    // One more than processors are usual: tests wait for timers, disks and other processes.
    maxWorkers: 3,
    globalSetup: ["packages/store-postgres/test/databases/shareDatabases.ts"],
    sequence: { shuffle: { tests: true, files: false }, sequencer: Sequencer },
    // They end what hangs; a machine that is busy with something else is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
