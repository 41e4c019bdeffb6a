/**
 * The tiers of tests: what each runs, and what it leaves to the next.
 *
 * Their knobs are variables of the environment, so that a single file can be run as a tier runs it.
 */

import { defaultDrawShare } from "./drawShare.ts"

/** The projects of vitest.config.ts. */
export type Project = "unit" | "replaced" | "law" | "database" | "oracle" | "process" | "kills"

/** The checks of checks.ts. */
export type CheckName =
  | "types"
  | "lint"
  | "lint by types"
  | "format"
  | "dead code"
  | "generated files"
  | "kernels"

/** The projects and checks that one command runs. */
export interface Tier {
  readonly projects: ReadonlyArray<Project>
  readonly checks: ReadonlyArray<CheckName>
  readonly environment: Readonly<Record<string, string>>
  /** One line for whoever reads the outcome. */
  readonly title: string
}

/** Whether there are results of other software to compare with. */
export const hasOracles = (): boolean => (process.env["CANDLEWICK_ORACLES"] ?? "") !== ""

/** The tiers by their names. */
export const tiers = {
  quick: {
    projects: ["database", "law", "replaced", "unit"],
    // It has checks of what changed instead.
    checks: [],
    environment: {
      CANDLEWICK_DRAWS: "0.02",
      CANDLEWICK_TEST_DATABASES: "pglite",
      CANDLEWICK_ORACLES: ""
    },
    title:
      "npm run quick: checks and tests of what changed, five laws with 1/50 of their draws; " +
      "npm test has the rest"
  },
  test: {
    projects: ["kills", "database", "law", "replaced", "unit"],
    checks: ["types", "lint", "format", "dead code", "generated files"],
    environment: {
      CANDLEWICK_DRAWS: String(defaultDrawShare),
      CANDLEWICK_TEST_DATABASES: "short",
      CANDLEWICK_KILLS: "3",
      CANDLEWICK_ORACLES: ""
    },
    title:
      "npm test: checks, unit tests, laws with 1/40 of their draws, " +
      "stores in memory and on PGlite, 3 kills; npm run test:all has the rest"
  },
  all: {
    projects: ["kills", "process", "database", "law", "oracle"],
    // Both take long; `quick` runs them on what changed.
    checks: ["lint by types", "kernels"],
    environment: {
      CANDLEWICK_DRAWS: "1",
      CANDLEWICK_TEST_DATABASES: "rest",
      CANDLEWICK_KILLS: "20"
    },
    title:
      "npm run test:all: laws with all of their draws, stores on PostgreSQL 14 and 18, " +
      "long stories on PGlite, " +
      "processes, oracles, 20 kills, lint by types, the build of the kernels; npm test has the rest"
  },
  /** No person waits for it, so that it draws more, and other cases than the day before. */
  night: {
    projects: ["database", "law"],
    checks: [],
    environment: { CANDLEWICK_DRAWS: "2", CANDLEWICK_TEST_DATABASES: "every" },
    title: "npm run test:night: laws with twice their draws, of a seed that is the commit"
  }
} as const satisfies Readonly<Record<string, Tier>>

/** The name of a tier. */
export type TierName = keyof typeof tiers
