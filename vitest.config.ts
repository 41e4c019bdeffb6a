import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // One process for each processor; by itself vitest leaves one of them idle.
    maxWorkers: "100%",
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "bench/*/test/**/*.test.ts"],
    reporters: ["default", "./scripts/CountingReporter.ts"],
    globalSetup: ["packages/store-postgres/test/databases/shareDatabases.ts"],
    sequence: { shuffle: true },
    // They end what hangs; a machine that is busy with something else is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
