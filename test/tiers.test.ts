/**
 * The two tiers together leave nothing out.
 */
import { assert, describe, it } from "@effect/vitest"
import { checkNames } from "../scripts/tests/checks.ts"
import { tiers } from "../scripts/tests/tiers.ts"
import config from "../vitest.config.ts"

const both = [tiers.test, tiers.all]

describe("npm test and npm run test:all", () => {
  it("run every check, each in one of them", () => {
    const checks = both.flatMap((tier): ReadonlyArray<string> => tier.checks)
    assert.deepStrictEqual(checks.toSorted(), checkNames.toSorted())
  })

  it("run every suite on PGlite, those that take long in the second", () => {
    const databases = both.map(({ environment }) => environment.CANDLEWICK_TEST_DATABASES)
    assert.deepStrictEqual(databases, ["short", "rest"])
  })

  it("run every project of tests", () => {
    const names = (config.test?.projects ?? []).flatMap((project) =>
      typeof project === "object" && "test" in project ? [project.test?.name] : []
    )
    const run = new Set<unknown>(both.flatMap((tier): ReadonlyArray<string> => tier.projects))
    assert.isAbove(names.length, 5)
    assert.deepStrictEqual(
      names.filter((name) => !run.has(name)),
      []
    )
  })
})
